// SPDX-License-Identifier: Apache-2.0
// A PointCloud2 message as bytes and field layout, whatever middleware brought it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace wirecost::cloud {

/// The numbers of sensor_msgs/PointField.
enum class Type : std::uint8_t { i8 = 1, u8, i16, u16, i32, u32, f32, f64 };

constexpr std::size_t size_of(Type type) {
  constexpr std::size_t sizes[]{0, 1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

struct Field {
  std::string_view name;
  std::uint32_t offset;
  Type type;
  std::uint32_t count = 1;
};

/// A message's own description of its points; not trusted before `points` has checked it.
struct CloudView {
  std::uint32_t height;
  std::uint32_t width;
  std::span<const Field> fields;
  bool big_endian;
  std::uint32_t point_step;
  std::uint32_t row_step;
  std::span<const std::byte> data;
};

/// Points that lie in the message's bytes one after the other.
struct Points {
  const std::byte* first;
  std::size_t count;
  std::size_t step;  ///< bytes from one point to the next
};

/// The message's points. Throws std::invalid_argument where the sizes contradict the bytes, where
/// rows have gaps between them, and for big-endian messages.
Points points(const CloudView& cloud);

/// Where a field stands in a point; none where no field of that name and type lies in it.
std::optional<std::size_t> offset_of(const CloudView& cloud, std::string_view name, Type type);

}  // namespace wirecost::cloud
