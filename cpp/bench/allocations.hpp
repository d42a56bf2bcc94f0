// SPDX-License-Identifier: Apache-2.0
// How often memory was asked for; always 0 where the program does not count.
#pragma once

#include <cstdint>

namespace wirecost::bench {

/// Calls of malloc, calloc, realloc, aligned_alloc, memalign and posix_memalign, by whomever;
/// operator new is one of malloc or aligned_alloc.
std::uint64_t allocations();

}  // namespace wirecost::bench
