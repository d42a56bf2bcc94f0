// SPDX-License-Identifier: Apache-2.0
// Streams of numbers: the column of a field, in the order of the points or beam by beam, as
// differences to what comes before, which are small.
#pragma once

#include "wirecost/cloud/packed/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace wirecost::cloud::packed {

/// What a number is written beside.
enum class Beside : std::uint8_t {
  least,     ///< the least of all
  former,    ///< the one before
  straight,  ///< the line through the two before
  lagged,    ///< the one that lies before it by its block's lag
};
constexpr std::uint8_t beside_count = 4;
/// Those that numbers of 64 bits may be beside, and of 32 bits where there are no lags.
constexpr std::uint8_t wide_beside_count = 3;

/// Numbers near zero as small ones without a sign: 0, -1, 1, -2, 2 …
inline std::uint32_t folded(std::int32_t value) {
  return static_cast<std::uint32_t>(value) << 1 ^ static_cast<std::uint32_t>(value >> 31);
}
inline std::uint64_t folded(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int32_t unfolded(std::uint32_t value) {
  return static_cast<std::int32_t>(value >> 1 ^ (0 - (value & 1)));
}
inline std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

inline std::int32_t wrapped_difference(std::int32_t one, std::int32_t other) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(one) -
                                   static_cast<std::uint32_t>(other));
}
inline std::int32_t wrapped_sum(std::int32_t one, std::int32_t other) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(one) +
                                   static_cast<std::uint32_t>(other));
}

/// Writes and reads streams; keeps the memory that this takes.
class Streams {
 public:
  /// Write numbers in groups, which is quick, rather than as classes.
  void use_groups() { in_groups_ = true; }
  /// What values of streams of 32 bits may be beside; none: no lags.
  void set_lags(std::span<const std::uint8_t> lags) { lags_ = lags; }

  /// Numbers that are small, mostly.
  void encode_small(std::span<const std::uint32_t> values, ByteWriter& out);
  void decode_small(ByteReader& in, std::span<std::uint32_t> values);

  void encode(std::span<const std::int32_t> values, Beside beside, ByteWriter& out);
  /// Throws std::invalid_argument.
  void decode(ByteReader& in, std::span<std::int32_t> values);

  void encode(std::span<const std::int64_t> values, ByteWriter& out);
  void decode(ByteReader& in, std::span<std::int64_t> values);

 private:
  bool in_groups_ = false;
  std::span<const std::uint8_t> lags_;
  std::vector<std::uint32_t> small_, high_, gaps_, others_;
  std::vector<std::uint8_t> widths_;
};

/// A way that takes few bits, about how many, judged by some of the numbers.
struct Choice {
  Beside beside = Beside::least;
  double bits = 0;
};
Choice chosen(std::span<const std::int32_t> values);
/// One that takes few bytes in groups.
Beside chosen_in_groups(std::span<const std::int32_t> values, std::span<const std::uint8_t> lags);

}  // namespace wirecost::cloud::packed
