// SPDX-License-Identifier: Apache-2.0
// Rows of messages as columns, in memory as Arrow lays it out but for booleans, which have a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "wirecost/arrow/plan.hpp"

namespace wirecost::arrow {

/// Bytes that grow without being cleared or, where they are many, copied.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() { std::free(data_); }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  void resize(std::size_t size) { size_ = size; }

  void reserve(std::size_t capacity) {
    if (capacity <= capacity_ && data_ != nullptr) return;
    reallocate(capacity < 64 ? 64 : capacity);
  }
  /// Returns where `size` more bytes are to be written.
  std::byte* extend(std::size_t size) {
    if (size > capacity_ - size_)
      reserve(size_ + size > 2 * capacity_ ? size_ + size : 2 * capacity_);
    return data_ + std::exchange(size_, size_ + size);
  }
  /// Gives back what was reserved and not used.
  void fit() { reallocate(size_ < 64 ? 64 : size_); }

 private:
  void reallocate(std::size_t capacity) {
    void* moved = std::realloc(data_, capacity);
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(moved);
    capacity_ = capacity;
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// `offsets`: of texts, sequences and lists, one more than rows, in values or elements.
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
  return kind == Kind::text || kind == Kind::sequence || kind == Kind::list;
}

}  // namespace wirecost::arrow
