// SPDX-License-Identifier: Apache-2.0
// Point clouds in few bytes: each field by itself, beam by beam where a lidar's beams are found.
#pragma once

#include "wirecost/cloud/cloud_view.hpp"
#include "wirecost/cloud/packed/beams.hpp"
#include "wirecost/cloud/packed/bytes.hpp"
#include "wirecost/cloud/packed/stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::cloud {

/// The largest error that the values of a field may have, in the field's unit.
struct Precision {
  std::string field;
  double error = 0;  ///< 0: every bit is kept, as of fields that are not named
};

enum class Effort : std::uint8_t {
  small,  ///< few bytes: sorted by beam, and in codes
  quick,  ///< about four times as fast, in 1.7 times the bytes
};

/// Keeps its memory from cloud to cloud. For one thread at a time.
class Packer {
 public:
  /// Throws std::invalid_argument for an error that is negative or no number.
  explicit Packer(std::vector<Precision> precisions = {}, Effort effort = Effort::small);

  /// The cloud in fewer bytes, valid until the next call. Bytes between fields are not kept.
  /// Throws std::invalid_argument where the cloud contradicts itself, and where a precision names
  /// no field of floats.
  std::span<const std::byte> pack(const CloudView& cloud);

 private:
  /// The values of a field, or of one of several in it.
  struct Column {
    const Field* field = nullptr;
    std::size_t offset = 0;
    std::vector<float> floats;  ///< of a field of floats, as they are; none with `quick`
    std::vector<std::int32_t> values, sorted;
    double step = 0;  ///< of a grid; 0: values are ordered bits
    std::vector<std::uint32_t> exceptions;
    std::vector<std::int64_t> excepted;
    bool is_constant = false;
    packed::Choice own, by_beam;

    bool is_wide() const;
    bool has_numbers() const { return !is_constant && !is_wide(); }
  };

  void load(const CloudView& cloud);
  void load(Column& column);
  template <class Value>
  void load_as(Column& column);
  template <class Value>
  bool place_on_grid(Column& column, std::span<const Value> values, double step, double error);
  void choose_order();
  void choose_lags();
  bool find_beams();
  std::size_t index_of(std::string_view name) const;
  double slope_of(std::size_t beam) const;
  double cone_bits();
  void put(std::size_t index);
  void put_wide(const Column& column);
  void put_grid(const Column& column);

  std::vector<Precision> precisions_;
  Effort effort_;
  Points points_{};
  std::vector<Column> columns_;
  std::size_t column_count_ = 0;
  std::size_t beam_column_ = 0;
  std::array<std::size_t, 3> place_{};  ///< columns of x, y and z
  bool has_cones_ = false;
  packed::Beams beams_;
  std::vector<std::uint8_t> lags_;
  packed::Streams streams_;
  packed::ByteWriter out_, order_;  ///< of all; of the beams
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<std::int64_t> wide_;
  std::vector<std::uint32_t> gaps_, beside_cones_;
  std::vector<std::int32_t> heights_;
  std::vector<double> slopes_;
};

}  // namespace wirecost::cloud
