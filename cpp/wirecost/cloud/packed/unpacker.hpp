// SPDX-License-Identifier: Apache-2.0
// Packed clouds, read. The size of a cloud is stated before any memory is taken for it.
#pragma once

#include "wirecost/cloud/cloud_view.hpp"
#include "wirecost/cloud/packed/beams.hpp"
#include "wirecost/cloud/packed/bytes.hpp"
#include "wirecost/cloud/packed/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wirecost::cloud {

/// What a packed cloud says of itself. Names lie in the packed bytes.
struct PackedLayout {
  std::uint32_t height = 0, width = 0, point_step = 0;
  std::vector<Field> fields;
  std::size_t bytes = 0;  ///< of all points
};

/// Keeps its memory from cloud to cloud. For one thread at a time.
class Unpacker {
 public:
  /// Read the layout; the bytes must stay until `unpack`. Throws std::invalid_argument.
  const PackedLayout& read(std::span<const std::byte> packed);

  /// Write all points, of `layout.bytes` bytes; what no field has is zero. Takes up to eight times
  /// as many bytes of memory, 25 times for points of one byte. Throws std::invalid_argument, and
  /// may have written some then.
  void unpack(std::span<std::byte> into);

 private:
  /// A column that is there, beside which others may stand.
  struct Column {
    std::vector<std::int32_t> values;
    double step = 0;
    bool is_sorted = false, is_there = false;
  };

  void unpack_column(const Field& field, std::size_t index, std::byte* to);
  void constant(std::size_t size, std::byte* to);
  void wide(bool is_sorted, std::byte* to);
  void narrow(Type type, Column& column, std::uint8_t mode, std::byte* to);
  void cones(Column& column);
  void read_exceptions();
  const Column& side(std::size_t index) const;
  template <class Value, class Values>
  void write(const Values& values, bool is_sorted, std::byte* to) const;

  packed::ByteReader in_;
  PackedLayout layout_;
  std::size_t count_ = 0;
  packed::Beams beams_;
  packed::Streams streams_;
  std::vector<Column> columns_;
  Column other_;  ///< a column beside which none stands
  std::vector<std::uint32_t> gaps_, beside_cones_;
  std::vector<std::int64_t> wide_, excepted_;
};

}  // namespace wirecost::cloud
