// SPDX-License-Identifier: Apache-2.0
#include "arrow_batch.hpp"

#include <algorithm>

#include "layout.hpp"

namespace wirecost::tensor {

namespace {

// Fields of the flatbuffer tables in Arrow's Message.fbs, by their number.
enum MessageField : std::size_t { header_type = 1, header = 2, body_bytes = 3, metadata = 4 };
enum BatchField : std::size_t { length = 0, nodes = 1, buffers = 2, compression = 3 };
constexpr std::uint8_t record_batch = 3;

struct Pair {
  std::int64_t first, second;
};

// Reads within a flatbuffer, or gives nothing.
class Flatbuffer {
 public:
  explicit Flatbuffer(Bytes bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t place) const {
    if (place > bytes_.size() || bytes_.size() - place < sizeof(T)) return std::nullopt;
    T found;
    std::memcpy(&found, bytes_.data() + place, sizeof found);
    return found;
  }

  // Where a reference at a place leads to.
  std::optional<std::uint64_t> target(std::uint64_t place) const {
    const auto offset = at<std::uint32_t>(place);
    if (!offset) return std::nullopt;
    return place + *offset;
  }

  // Where a table has a field; 0 where it has not.
  std::optional<std::uint64_t> field(std::uint64_t table, std::size_t number) const {
    const auto back = at<std::int32_t>(table);
    if (!back) return std::nullopt;
    const std::int64_t form = static_cast<std::int64_t>(table) - *back;
    if (form < 0) return std::nullopt;
    const auto start = static_cast<std::uint64_t>(form);
    const auto size = at<std::uint16_t>(start);
    // The places of all fields are there, also of those that nobody asks for.
    if (!size || start + std::max<std::uint64_t>(*size & ~1U, 4) > bytes_.size())
      return std::nullopt;
    if (4 + 2 * (number + 1) > *size) return 0;
    const auto offset = at<std::uint16_t>(start + 4 + 2 * number);
    if (!offset) return std::nullopt;
    return *offset != 0 ? table + *offset : 0;
  }

  std::optional<std::int64_t> number(std::uint64_t table, std::size_t which) const {
    const auto place = field(table, which);
    if (!place) return std::nullopt;
    return *place != 0 ? at<std::int64_t>(*place) : 0;
  }

  struct Pairs {
    std::uint64_t start = 0, count = 0;
  };
  std::optional<Pairs> pairs(std::uint64_t table, std::size_t which) const {
    const auto place = field(table, which);
    if (!place) return std::nullopt;
    if (*place == 0) return Pairs{};
    const auto start = target(*place);
    const auto count = start ? at<std::uint32_t>(*start) : std::nullopt;
    if (!count || *start + 4 > bytes_.size() ||
        (bytes_.size() - *start - 4) / sizeof(Pair) < *count)
      return std::nullopt;
    return Pairs{*start + 4, *count};
  }

 private:
  Bytes bytes_;
};

struct Batch {
  std::int64_t body = 0, rows = 0, longest = 0, filled = 0;
  std::uint64_t arrays = 0, buffers = 0;
};

std::optional<Batch> batch_of(const Flatbuffer& from) {
  const auto message = from.target(0);
  if (!message) return std::nullopt;
  const auto kind = from.field(*message, header_type);
  const auto place = from.field(*message, header);
  const auto body = from.number(*message, body_bytes);
  if (!kind || !place || !body || *kind == 0 || *place == 0 || *body < 0) return std::nullopt;
  const auto table = from.target(*place);
  if (from.at<std::uint8_t>(*kind) != record_batch || from.field(*message, metadata) != 0 || !table)
    return std::nullopt;
  const auto rows = from.number(*table, length);
  const auto arrays = from.pairs(*table, nodes);
  const auto places = from.pairs(*table, buffers);
  if (!rows || *rows < 0 || !arrays || !places || from.field(*table, compression) != 0)
    return std::nullopt;
  Batch found{.body = *body, .rows = *rows, .arrays = arrays->count, .buffers = places->count};
  for (std::uint64_t i = 0; i < arrays->count; ++i)
    found.longest = std::max(found.longest, from.at<Pair>(arrays->start + i * sizeof(Pair))->first);
  for (std::uint64_t i = 0; i < places->count; ++i) {
    const std::int64_t size = from.at<Pair>(places->start + i * sizeof(Pair))->second;
    if (size < 0 || __builtin_add_overflow(found.filled, size, &found.filled)) return std::nullopt;
  }
  return found;
}

}  // namespace

PyObject* arrow_batch(PyObject*, PyObject* message) {
  if (PyBytes_CheckExact(message) == 0) Py_RETURN_NONE;
  const std::optional<Batch> found =
      batch_of(Flatbuffer({reinterpret_cast<const std::uint8_t*>(PyBytes_AsString(message)),
                           static_cast<std::size_t>(PyBytes_Size(message))}));
  if (!found) Py_RETURN_NONE;
  return Py_BuildValue(
      "LLKLKL", static_cast<long long>(found->body), static_cast<long long>(found->rows),
      static_cast<unsigned long long>(found->arrays), static_cast<long long>(found->longest),
      static_cast<unsigned long long>(found->buffers), static_cast<long long>(found->filled));
}

}  // namespace wirecost::tensor
