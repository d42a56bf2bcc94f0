// SPDX-License-Identifier: Apache-2.0
// A point cloud message between a middleware and the filter: C++17, which ROS 1 is bound to, on one
// side, C++20 on the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nodes {

struct PlainField {
  std::string_view name;
  std::uint32_t offset;
  std::uint8_t datatype;  ///< as sensor_msgs/PointField numbers them
  std::uint32_t count;
};

struct PlainBytes {
  const std::uint8_t* first = nullptr;
  std::size_t size = 0;
};

/// Points into the message that it describes.
struct PlainCloud {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::vector<PlainField> fields;
  bool big_endian = false;
  std::uint32_t point_step = 0;
  std::uint32_t row_step = 0;
  PlainBytes data;
};

/// Bytes of an output point, PointXYZIRC.
inline constexpr std::uint32_t filtered_step = 16;
/// The output's fields.
const std::vector<PlainField>& filtered_fields();

/// Which of the two input formats the message has.
enum class Format : std::uint8_t { xyzircaedt, xyziradrt };

/// Throws std::invalid_argument, one line, where sizes or fields contradict the message's bytes or
/// are not the filter's: who reads a checked message by its own description stays inside.
Format check(const PlainCloud& cloud);

/// The filter on a message's bytes.
class BytesFilter {
 public:
  BytesFilter() = default;
  BytesFilter(const BytesFilter&) = delete;
  BytesFilter& operator=(const BytesFilter&) = delete;
  virtual ~BytesFilter() = default;

  /// The points that stay, until the next call. Throws std::invalid_argument as `check` does.
  virtual PlainBytes operator()(const PlainCloud& cloud) = 0;
};

/// `version` is recommended or wirecost; throws std::invalid_argument for others.
std::unique_ptr<BytesFilter> make_filter(std::string_view version);

}  // namespace nodes
