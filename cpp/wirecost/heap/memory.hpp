// SPDX-License-Identifier: Apache-2.0
// A place for the pool in the address space, of which ranges are made usable with every page
// already touched.
#pragma once

#include <cstddef>

namespace wirecost::heap {

inline constexpr std::size_t huge_bytes = std::size_t{2} << 20;

/// The largest pool and the largest block: sums of page numbers fit into 32 bits.
inline constexpr std::size_t most_bytes = std::size_t{1} << 43;

struct Touch {
  bool lock = false;
  bool huge = false;
};

enum class Touched { yes, not_locked, no };

/// Where the pool lies. Nothing is mapped there before it is used, so that it takes nothing of a
/// program's RLIMIT_AS; `reserved`: all is, because the usual place cannot be had.
struct Place {
  char* begin = nullptr;
  bool reserved = false;
};

/// `bytes` of address space on a multiple of 2 MiB; null if refused.
Place find_place(std::size_t bytes);

/// `bytes` of address space that cannot be used, on a multiple of 2 MiB; null if refused.
char* reserve(std::size_t bytes);

/// Maps a range of a place and touches it, so that its use takes no fault. `not_locked`: touched,
/// but the kernel refused to lock it (RLIMIT_MEMLOCK).
Touched make_usable(char* begin, std::size_t bytes, Touch how, bool reserved);

/// Undoes `make_usable`.
void make_unusable(char* begin, std::size_t bytes, bool reserved);

/// Locks memory that is in use; false if the kernel refused.
bool lock_in_memory(char* begin, std::size_t bytes);

/// Touches usable memory again without changing it: after a fork its pages are shared.
bool populate(char* begin, std::size_t bytes);

/// The most that the pool may come to: twice the memory of the machine.
std::size_t address_space_bytes();

/// What the process may map yet by RLIMIT_AS and RLIMIT_DATA; the largest number without them.
std::size_t mappable_bytes();

/// MemAvailable in bytes; the largest number where /proc lacks it.
std::size_t available_bytes();

}  // namespace wirecost::heap
