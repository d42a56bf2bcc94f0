// SPDX-License-Identifier: Apache-2.0
// What templates in tracetools/utils.hpp call for the name of a callback. The result is the
// caller's to free since Iron; Humble keeps it for good. It is never null, as Humble expects.
#include <dlfcn.h>

#include <cstring>

#include "export.hpp"
#include "wirecost/hooks/demangled.hpp"

namespace tracetools::detail {

// Humble gives `const char*`, later versions `char*`: the same symbol.
WIRECOST_EXPORT char* demangle_symbol(const char* mangled) {
  return strdup(mangled == nullptr ? "UNKNOWN" : wirecost::hooks::demangled_type(mangled).c_str());
}

WIRECOST_EXPORT char* get_symbol_funcptr(const void* function) {
  Dl_info info{};
  const char* symbol = dladdr(function, &info) == 0 ? nullptr : info.dli_sname;
  return strdup(symbol == nullptr ? "UNKNOWN" : wirecost::hooks::demangled_symbol(symbol).c_str());
}

/// Humble's.
WIRECOST_EXPORT char* get_symbol_funcptr(void* function) {
  return get_symbol_funcptr(static_cast<const void*>(function));
}

}  // namespace tracetools::detail
