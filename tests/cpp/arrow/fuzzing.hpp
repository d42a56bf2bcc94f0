// SPDX-License-Identifier: Apache-2.0
// What fuzzers of the pass share: what they take from their input, and checks of columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "wirecost/arrow/export.hpp"
#include "wirecost/arrow/pass.hpp"

namespace wirecost::arrow {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  std::uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  const std::uint8_t* skip(std::size_t size) {
    left_ -= size;
    return std::exchange(at_, at_ + size);
  }
  std::size_t left() const { return left_; }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

inline void check(bool holds) {
  if (!holds) std::abort();
}

/// Reads all that an array leads to, and returns its bytes.
inline std::size_t read(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string format = schema.format;
  check(schema.n_children == array.n_children);
  check(array.null_count == 0 || (schema.flags & 2) != 0);
  std::size_t bytes = 0;
  const auto sum = [&](const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      bytes += (static_cast<const volatile std::uint8_t*>(data)[i], 1U);
  };
  const auto rows = static_cast<std::size_t>(array.length);
  if (array.n_buffers > 0 && array.buffers[0] != nullptr) sum(array.buffers[0], (rows + 7) / 8);
  const auto* offsets =
      array.n_buffers > 1 ? static_cast<const std::int64_t*>(array.buffers[1]) : nullptr;
  if (format == "U" || format == "Z" || format == "+L") {
    check(offsets[0] == 0);
    for (std::size_t i = 0; i < rows; ++i) check(offsets[i] <= offsets[i + 1]);
    bytes += rows * sizeof *offsets;
    if (format == "+L")
      check(array.children[0]->length == offsets[rows]);
    else
      sum(array.buffers[2], static_cast<std::size_t>(offsets[rows]));
  } else if (format == "b") {
    sum(array.buffers[1], (rows + 7) / 8);
  } else if (format[0] != '+') {
    const std::size_t width = format == "C" ? 1 : format == "S" ? 2 : format == "I" ? 4 : 8;
    sum(array.buffers[1], rows * width);
  }
  for (std::int64_t i = 0; i < array.n_children; ++i)
    bytes += read(*schema.children[i], *array.children[i]);
  return bytes;
}

inline void check_same(const Batch& one, const Batch& other, bool with_times = true) {
  check(one.counts == other.counts);
  for (std::size_t i = 0; i < one.columns.size(); ++i) {
    if (!with_times && one.plan->columns[i].kind == Kind::recorded) continue;
    for (const auto member : {&ColumnData::values, &ColumnData::offsets}) {
      const Buffer& a = one.columns[i].*member;
      const Buffer& b = other.columns[i].*member;
      check(std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size()));
    }
  }
}

/// Reads what is left as messages of fields that come in any order, alone and together.
inline void check_messages(Input& from, const std::shared_ptr<const Plan>& plan) {
  Pass alone(plan), together(plan);
  std::vector<std::byte> memory;
  std::vector<std::uint64_t> begins, sizes;
  std::vector<std::int64_t> times;
  while (from.left() != 0) {
    const std::size_t length = std::min<std::size_t>(from.next(), from.left());
    const auto copy = std::make_unique<std::byte[]>(length);
    std::memcpy(copy.get(), from.skip(length), length);
    const std::uint64_t begin = 0, bytes = length;
    const std::int64_t time = static_cast<std::int64_t>(times.size());
    check(alone.add({{copy.get(), length}, {&begin, 1}, {&bytes, 1}, {&time, 1}}, 1U << 20U,
                    1U << 30U) == 1);
    begins.push_back(memory.size());
    sizes.push_back(length);
    times.push_back(time);
    memory.insert(memory.end(), copy.get(), copy.get() + length);
  }
  check(together.add({memory, begins, sizes, times}, 1U << 20U, 1U << 30U) == begins.size());
  const std::size_t counted = alone.bytes();
  const auto batch = alone.take();
  check_same(*batch, *together.take());
  const Losses &one = alone.losses(), &other = together.losses();
  check(one.damaged == other.damaged && one.unknown == other.unknown && one.mended == other.mended);
  check(batch->counts[0] + one.damaged == times.size());
  ArrowSchema schema;
  ArrowArray array;
  export_schema(*plan, schema);
  export_array(batch, array);
  // Most: a varint of one byte becomes a number of eight; a text that is no UTF-8 triples.
  check(read(schema, array) <= 9 * counted + 64 * (plan->nodes.size() + 1));
  array.release(&array);
  schema.release(&schema);
}

}  // namespace wirecost::arrow
