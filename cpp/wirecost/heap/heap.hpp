// SPDX-License-Identifier: Apache-2.0
// The allocator: small blocks from the thread's cache, large ones from the pool.
#pragma once

#include <cstddef>

#include "wirecost/heap/config.hpp"
#include "wirecost/heap/pool.hpp"
#include "wirecost/heap/threads.hpp"

namespace wirecost::heap {

/// `bytes` at a multiple of 16, or null with ENOMEM.
void* allocate(std::size_t bytes);

/// The same at a multiple of `alignment`, a power of two.
void* allocate_aligned(std::size_t alignment, std::size_t bytes);

/// Frees a block, libc's own too; null is none. A pointer to no block ends the program with one
/// line. Keeps errno.
void release(void* block);

/// The block grown or shrunk, perhaps moved; null with ENOMEM leaves it as it was.
void* resize(void* block, std::size_t bytes);

/// Bytes that may be used at `block`; 0 for memory of others.
std::size_t usable_bytes(const void* block);

/// Whether `block` lies in the pool; other pointers come from libc's own allocator.
bool is_ours(const void* block);

PoolState pool_state();

/// Keeps a descriptor of stderr for the report: programs close theirs before the process is over.
void keep_stderr();

/// Writes what the configuration asks for; at most once a process.
void report_once();

}  // namespace wirecost::heap
