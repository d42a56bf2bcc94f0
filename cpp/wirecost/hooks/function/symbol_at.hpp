// SPDX-License-Identifier: Apache-2.0
// What functions behind pointers are called in the source, as far as the program still knows it.
#pragma once

#include <string>

namespace wirecost::function {

/// As people write it.
std::string short_name(std::string whole);

/// Up to the arguments; a result type before the name goes as well.
std::string without_arguments(std::string name);

/// The symbol at an address, or "" and in `place` the file and the address in it.
std::string symbol_at(const void* address, std::string& place);

}  // namespace wirecost::function
