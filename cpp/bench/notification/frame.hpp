// SPDX-License-Identifier: Apache-2.0
// RSB's socket framing, u32 little-endian length + notification, with the wire in the length's two
// highest bits (docs/formats/notification-frame.md): old peers send 0 there, so a receiver
// distinguishes both and peers can change one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wirecost::bench {

enum class Wire : std::uint8_t { protobuf = 0, ros1 = 1, cdr = 2 };

inline constexpr std::size_t frame_header = 4;
inline constexpr std::uint32_t wire_shift = 30;
inline constexpr std::uint32_t length_mask = (1U << wire_shift) - 1;
inline constexpr std::size_t largest_frame = std::size_t{16} << 20U;  // more is refused unread

struct Frame {
  Wire wire;
  std::span<const std::byte> message;
};

/// The header of a message. Precondition: size <= length_mask.
std::uint32_t frame_length(Wire wire, std::size_t size);

/// Finds frames in a stream of bytes that comes in any pieces.
class FrameReader {
 public:
  /// Room for the next piece: `received` reports how much of it was filled.
  std::span<std::byte> room();
  void received(std::size_t size) { end_ += size; }

  /// The next whole frame, valid until room() is called; nothing if more bytes are needed.
  /// Throws std::runtime_error on an unknown wire or a length beyond `largest_frame`.
  std::optional<Frame> next();

 private:
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace wirecost::bench
