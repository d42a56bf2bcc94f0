// SPDX-License-Identifier: Apache-2.0
// Names that the compiler made of names in the source, turned back.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace wirecost::hooks {

/// Of a type, as std::type_info::name() has it. What is no mangled name comes back as it is.
inline std::string demangled_type(const char* name) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, nullptr), &std::free);
  return text == nullptr ? name : text.get();
}

/// Of a symbol, which is mangled only where it begins with _Z: C may have a function that is called
/// as a type is mangled.
inline std::string demangled_symbol(const char* symbol) {
  return std::string_view(symbol).starts_with("_Z") ? demangled_type(symbol) : symbol;
}

}  // namespace wirecost::hooks
