// SPDX-License-Identifier: Apache-2.0
// What must be known of a function's instructions to record its calls. x86-64, decoded by Zydis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace wirecost::function {

/// Bytes of the same object at an address; empty where it has none.
using Memory = std::function<std::span<const std::byte>(std::uint64_t address, std::uint64_t size)>;

/// A jump to anywhere within 2 GiB.
inline constexpr std::size_t jump_bytes = 5;

struct Range {
  std::uint64_t begin = 0, end = 0;
  bool holds(std::uint64_t address) const { return address >= begin && address < end; }
};

struct Code {
  std::string undecodable;      ///< why nothing is known of it; then the rest is empty
  std::string no_jump;          ///< why its first bytes cannot become a jump; empty: they can
  std::string no_exits;         ///< why the places where it ends cannot be listed; empty: they can
  std::size_t first_bytes = 0;  ///< whole instructions that the jump replaces
  std::vector<std::uint64_t> returns;     ///< addresses of `ret`
  std::vector<std::uint64_t> tail_jumps;  ///< addresses of jumps into other functions
};

/// `function`: from its entry to its end. `cold`: parts that the compiler moved elsewhere. `next`:
/// where the next function begins, so that what lies between is padding.
Code examine(const Memory& memory, Range function, std::span<const Range> cold, std::uint64_t next);

/// The first `bytes` bytes of the function at `from`, as they must read at `to` to do the same, and
/// a jump back. Empty where an operand would be out of reach.
std::vector<std::byte> moved(std::span<const std::byte> code, std::uint64_t from, std::size_t bytes,
                             std::uint64_t to);

}  // namespace wirecost::function
