// SPDX-License-Identifier: Apache-2.0
// The stubs save the registers that plain code uses. The C library also uses the upper parts of the
// vector registers, in which arguments and results may lie.
#pragma once

#include <cpuid.h>

#include <cstddef>
#include <cstdint>

namespace wirecost::function {

/// Whether the kernel lets programs save their registers at once; without it there are no upper
/// parts either.
inline bool has_xsave() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0;
}

/// Calls `work` with x87, SSE, AVX and AVX-512 registers as they were afterwards.
template <class Work>
[[gnu::target("xsave"), gnu::noinline]] void with_all_registers_kept(Work work) {
  // x87, SSE, AVX and the three parts of AVX-512: at most 2696 bytes in the standard format.
  constexpr std::uint64_t parts = 0xe7;
  alignas(64) std::byte area[4096];
  // Asked each time, which is seldom: a child of fork() would wait for ever for another thread that
  // had begun to initialize a variable.
  const bool saves = has_xsave();
  if (saves) {
    // The header must be zero; memset may be one that uses the registers to be saved.
    auto* const header = reinterpret_cast<volatile std::uint64_t*>(area + 512);
    for (std::size_t i = 0; i < 8; ++i) header[i] = 0;
    __builtin_ia32_xsave64(area, parts);
  }
  work();
  if (saves) __builtin_ia32_xrstor64(area, parts);
}

}  // namespace wirecost::function
