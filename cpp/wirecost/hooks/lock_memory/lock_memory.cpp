// SPDX-License-Identifier: Apache-2.0
// Locks all memory of the program that it is preloaded into, what is there and what comes.
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

[[gnu::constructor]] void lock() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) return;
  std::fprintf(stderr, "wirecost: memory is not locked: %s; raise ulimit -l\n",
               std::strerror(errno));
}

}  // namespace
