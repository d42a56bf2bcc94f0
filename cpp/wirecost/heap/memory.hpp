// SPDX-License-Identifier: Apache-2.0
// Address space reserved once, of which ranges are made usable with every page already touched.
#pragma once

#include <cstddef>

namespace wirecost::heap {

inline constexpr std::size_t huge_bytes = std::size_t{2} << 20;

struct Touch {
  bool lock = false;
  bool huge = false;
};

enum class Touched { yes, not_locked, no };

/// `bytes` of address space that cannot be used yet, on a multiple of 2 MiB; null if refused.
char* reserve(std::size_t bytes);

/// Makes a range of a reservation writable and touches it, so that its use takes no fault.
/// `not_locked`: touched, but the kernel refused to lock it (RLIMIT_MEMLOCK).
Touched make_usable(char* begin, std::size_t bytes, Touch how);

/// Touches usable memory again without changing it: after a fork its pages are shared.
bool populate(char* begin, std::size_t bytes);

/// How much address space to reserve: twice the memory of the machine, or half of RLIMIT_AS.
std::size_t address_space_bytes();

/// MemAvailable in bytes; the largest number where /proc lacks it.
std::size_t available_bytes();

}  // namespace wirecost::heap
