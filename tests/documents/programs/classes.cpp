// SPDX-License-Identifier: Apache-2.0
// Ten objects in a sensor view, there and back: classes with Protobuf's interface.
#include <string>

#include "osi3/osi_sensorview.pb.h"

int main(int argc, char**) {
  osi3::SensorView view;
  view.mutable_version()->set_version_major(3);
  view.mutable_sensor_id()->set_value(argc);
  auto* truth = view.mutable_global_ground_truth();
  for (int i = 0; i < 10; ++i) {
    auto* object = truth->add_moving_object();
    object->mutable_id()->set_value(i);
    object->mutable_base()->mutable_position()->set_x(i);
    object->set_type(osi3::MovingObject::TYPE_VEHICLE);
  }
  std::string bytes;
  if (!view.SerializeToString(&bytes)) return 1;
  osi3::SensorView received;
  if (!received.ParseFromString(bytes)) return 1;
  double sum = 0;
  for (int i = 0; i < received.global_ground_truth().moving_object_size(); ++i)
    sum += received.global_ground_truth().moving_object(i).base().position().x();
  return sum == 45 ? 0 : 1;
}
