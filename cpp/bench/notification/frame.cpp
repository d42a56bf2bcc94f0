// SPDX-License-Identifier: Apache-2.0
#include "bench/notification/frame.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace wirecost::bench {
namespace {

constexpr std::size_t piece = 65'536;

}  // namespace

std::uint32_t frame_length(Wire wire, std::size_t size) {
  return static_cast<std::uint32_t>(size) | static_cast<std::uint32_t>(wire) << wire_shift;
}

std::span<std::byte> FrameReader::room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < piece) buffer_.resize(end_ + piece);
  return std::span(buffer_).subspan(end_);
}

std::optional<Frame> FrameReader::next() {
  if (end_ - begin_ < frame_header) return std::nullopt;
  std::uint32_t header = 0;
  std::memcpy(&header, buffer_.data() + begin_, frame_header);
  const std::uint32_t wire = header >> wire_shift;
  const std::size_t size = header & length_mask;
  if (wire > static_cast<std::uint32_t>(Wire::cdr))
    throw std::runtime_error("a frame of an unknown wire, number " + std::to_string(wire));
  if (size > largest_frame)
    throw std::runtime_error("a frame of " + std::to_string(size) + " bytes, more than allowed");
  if (end_ - begin_ < frame_header + size) return std::nullopt;
  const Frame frame{static_cast<Wire>(wire),
                    std::span(buffer_).subspan(begin_ + frame_header, size)};
  begin_ += frame_header + size;
  return frame;
}

}  // namespace wirecost::bench
