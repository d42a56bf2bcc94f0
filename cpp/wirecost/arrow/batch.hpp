// SPDX-License-Identifier: Apache-2.0
// Rows of messages as columns, in memory as Arrow lays it out but for booleans, which have a byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "wirecost/arrow/memory.hpp"
#include "wirecost/arrow/plan.hpp"

namespace wirecost::arrow {

/// Bytes that grow without being cleared.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, {})), size_(std::exchange(other.size_, 0)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() { give_memory(memory_); }

  std::byte* data() const { return memory_.at; }
  std::size_t size() const { return size_; }
  void resize(std::size_t size) { size_ = size; }

  void reserve(std::size_t capacity) {
    if (capacity > memory_.size || memory_.at == nullptr) move_to(capacity < 64 ? 64 : capacity);
  }
  /// Returns where `size` more bytes are to be written.
  std::byte* extend(std::size_t size) {
    if (size > memory_.size - size_)
      reserve(size_ + size > 2 * memory_.size ? size_ + size : 2 * memory_.size);
    return memory_.at + std::exchange(size_, size_ + size);
  }
  /// Gives memory back where a quarter of it or more is not used.
  void fit() {
    if (memory_.size > 64 && size_ < memory_.size / 4 * 3) move_to(size_ < 64 ? 64 : size_);
  }

 private:
  void move_to(std::size_t capacity) {
    const Memory larger = take_memory(capacity);
    if (memory_.at != nullptr)
      std::memcpy(larger.at, memory_.at, std::min(memory_.size, larger.size));
    give_memory(std::exchange(memory_, larger));
  }

  Memory memory_;
  std::size_t size_ = 0;
};

/// `offsets`: of texts, sequences, lists and points, one more than rows, in values or elements.
/// `values` of points: a byte for each row, 0 where there are none to be had.
struct ColumnData {
  Buffer values, offsets;

  std::int64_t* ends() { return reinterpret_cast<std::int64_t*>(offsets.data()) + 1; }
  const std::int64_t* begins() const {
    return reinterpret_cast<const std::int64_t*>(offsets.data());
  }
};

struct Batch {
  explicit Batch(std::shared_ptr<const Plan> of)
      : plan(std::move(of)), columns(plan->columns.size()), counts(plan->levels.size()) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::shared_ptr<const Plan> plan;
  std::vector<ColumnData> columns;
  std::vector<std::size_t> counts;  // rows of each level
};

inline bool has_offsets(Kind kind) {
  return kind == Kind::text || kind == Kind::sequence || kind == Kind::list || kind == Kind::points;
}

}  // namespace wirecost::arrow
