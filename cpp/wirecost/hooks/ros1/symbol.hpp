// SPDX-License-Identifier: Apache-2.0
// What a callback is called in the source, as far as the program still knows it.
#pragma once

#include <string>

#include "boost_function.hpp"

namespace wirecost::ros1 {

/// The function that a boost::function holds, without its arguments: by a symbol of .symtab,
/// .dynsym or the debug file. In a stripped program the class or the signature, which the program's
/// type information has, and the address in the file.
std::string symbol_of(const Function& function);

}  // namespace wirecost::ros1
