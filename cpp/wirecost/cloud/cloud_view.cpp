// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/cloud_view.hpp"

#include <stdexcept>
#include <string>

namespace wirecost::cloud {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("cloud: " + what); }

}  // namespace

Points points(const CloudView& cloud) {
  if (cloud.big_endian) refuse("is_bigendian is set; only little-endian points are read");
  const std::uint64_t count = std::uint64_t{cloud.width} * cloud.height;
  if (count == 0) return {cloud.data.data(), 0, cloud.point_step};
  if (cloud.point_step == 0) refuse("point_step is 0; give the bytes of a point");
  if (cloud.height > 1 && cloud.row_step != std::uint64_t{cloud.width} * cloud.point_step)
    refuse("row_step " + std::to_string(cloud.row_step) + " is not width * point_step; send rows" +
           " without gaps");
  if (cloud.data.size() / cloud.point_step < count)
    refuse(std::to_string(count) + " points of " + std::to_string(cloud.point_step) +
           " bytes are announced, but data has " + std::to_string(cloud.data.size()) + " bytes");
  return {cloud.data.data(), static_cast<std::size_t>(count), cloud.point_step};
}

std::optional<std::size_t> offset_of(const CloudView& cloud, std::string_view name, Type type) {
  const std::size_t size = size_of(type);
  for (const Field& field : cloud.fields) {
    if (field.name != name) continue;
    const bool inside = field.offset <= cloud.point_step && cloud.point_step - field.offset >= size;
    if (field.type == type && field.count == 1 && inside) return field.offset;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace wirecost::cloud
