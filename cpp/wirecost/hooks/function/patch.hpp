// SPDX-License-Identifier: Apache-2.0
// Functions of the running program, made to report that they are entered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "memory_map.hpp"

namespace wirecost::function {

/// Memory for code within reach of a jump from one object, as long as this lives.
class Arena {
 public:
  Arena() = default;
  ~Arena() { give_back(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  /// `low` and `high`: the object's own memory. False where nothing near it is free.
  bool reserve(std::uintptr_t low, std::uintptr_t high, std::size_t bytes);
  std::byte* next() const { return begin_ + used_; }
  std::size_t left() const { return bytes_ - used_; }
  void take(std::size_t bytes) { used_ += (bytes + 15) / 16 * 16; }
  /// From now on the memory can be executed and not written.
  bool finish() const;
  void give_back();

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0, used_ = 0;
};

inline constexpr std::size_t thunk_bytes = 160;

/// A function whose first `first_bytes` bytes, whole instructions, make way for a jump to a thunk
/// that calls `reached` with `number` and does what these bytes did.
struct Patch {
  std::uintptr_t function;
  std::size_t first_bytes;
  std::uint32_t number;
  std::byte* thunk = nullptr;
};

/// Writes the thunk into `arena`; an empty text, or why it cannot be.
std::string prepare(Patch& patch, Arena& arena, void (*reached)());

/// Puts the jump into the function; an empty text, or why it cannot be. `memory`: as it is now; its
/// pages may be used afterwards as before.
std::string put_jump(const Patch& patch, const std::vector<Mapping>& memory);

}  // namespace wirecost::function
