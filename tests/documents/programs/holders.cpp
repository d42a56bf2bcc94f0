// SPDX-License-Identifier: Apache-2.0
// Ten objects in a sensor view, there and back: holders.
#include <vector>

#include "osi3/osi_sensorview.protobuf.hpp"
using namespace wire::osi3;
int main(int argc, char**) {
  SensorView view;
  view.version.touch().version_major = 3;
  view.sensor_id.touch().value = argc;
  auto& truth = view.global_ground_truth.touch();
  for (int i = 0; i < 10; ++i) {
    auto& object = truth.moving_object.emplace_back();
    object.id.touch().value = i;
    object.base.touch().position.touch().x = i;
    object.type = MovingObject_Type::TYPE_VEHICLE;
  }
  std::vector<std::byte> bytes(protobuf::encoded_size(view));
  if (protobuf::encode(view, bytes).error) return 1;
  SensorView received;
  if (protobuf::decode(bytes, received)) return 1;
  double sum = 0;
  for (const auto& object : received.global_ground_truth.or_default().moving_object)
    sum += object.base.or_default().position.or_default().x.value_or(0);
  return sum == 45 ? 0 : 1;
}
