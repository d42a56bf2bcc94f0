// SPDX-License-Identifier: Apache-2.0
#include "cloud/ring/ring.hpp"

#include <stdexcept>
#include <string>

namespace wirecost::cloud {

void check(const RingOptions& options) {
  constexpr std::uint32_t channels = std::numeric_limits<std::uint16_t>::max() + 1U;
  if (options.max_rings == 0 || options.max_rings > channels)
    throw std::invalid_argument("max_rings " + std::to_string(options.max_rings) +
                                ": a channel has 16 bits; give 1 to 65536");
}

bool RingLayout::begins_as_output() const {
  return !float_intensity && x == 0 && y == 4 && z == 8 && intensity == 12 && return_type == 13 &&
         channel == 14;
}

RingLayout ring_layout(const CloudView& cloud) {
  const auto find = [&](std::string_view name, Type type) {
    const auto found = offset_of(cloud, name, type);
    if (!found)
      throw std::invalid_argument("cloud: no field " + std::string(name) +
                                  " as PointXYZIRCAEDT or PointXYZIRADRT have it; convert the " +
                                  "cloud to one of them");
    return *found;
  };
  const bool older = !offset_of(cloud, "channel", Type::u16) && offset_of(cloud, "ring", Type::u16);
  return {.x = find("x", Type::f32),
          .y = find("y", Type::f32),
          .z = find("z", Type::f32),
          .intensity = find("intensity", older ? Type::f32 : Type::u8),
          .return_type = find("return_type", Type::u8),
          .channel = find(older ? "ring" : "channel", Type::u16),
          .azimuth = find("azimuth", Type::f32),
          .distance = find("distance", Type::f32),
          .float_intensity = older};
}

}  // namespace wirecost::cloud
