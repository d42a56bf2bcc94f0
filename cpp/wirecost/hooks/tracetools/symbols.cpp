// SPDX-License-Identifier: Apache-2.0
// What templates in tracetools/utils.hpp call for the name of a callback. The result is the
// caller's to free since Iron; Humble keeps it for good. It is never null, as Humble expects.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstring>

#include "export.hpp"

namespace tracetools::detail {

// Humble gives `const char*`, later versions `char*`: the same symbol.
WIRECOST_EXPORT char* demangle_symbol(const char* mangled) {
  if (mangled == nullptr) return strdup("UNKNOWN");
  int status = 1;
  char* demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  return status == 0 ? demangled : strdup(mangled);
}

WIRECOST_EXPORT char* get_symbol_funcptr(const void* function) {
  Dl_info info{};
  return demangle_symbol(dladdr(function, &info) == 0 ? nullptr : info.dli_sname);
}

/// Humble's.
WIRECOST_EXPORT char* get_symbol_funcptr(void* function) {
  return get_symbol_funcptr(static_cast<const void*>(function));
}

}  // namespace tracetools::detail
