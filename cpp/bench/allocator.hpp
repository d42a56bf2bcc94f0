// SPDX-License-Identifier: Apache-2.0
// Which allocator the program really runs: the loader ignores a library that it cannot preload.
#pragma once

#include <dlfcn.h>

#include <cstdio>

namespace wirecost::bench {

/// Prints `allocator`, then the files in which malloc and free lie.
inline void print_allocator() {
  std::printf("allocator");
  for (const char* name : {"malloc", "free"}) {
    Dl_info found{};
    const void* const function = dlsym(RTLD_DEFAULT, name);
    const bool known = function != nullptr && dladdr(function, &found) != 0;
    std::printf("\t%s", known ? found.dli_fname : "unknown");
  }
  std::printf("\n");
}

}  // namespace wirecost::bench
