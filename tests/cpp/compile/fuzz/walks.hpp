// SPDX-License-Identifier: Apache-2.0
// Reads what a view's ranges show: they find it in the buffer only then. Views of a message have
// the same fields on every wire.
#pragma once

#include <cstddef>

namespace wirecost::test {

template <class View>
std::size_t walk_notification(const View& m) {
  std::size_t read = m.event_id.sender_id.size() + m.scope.size() + m.data.size();
  for (const auto& cause : m.causes) read += cause.sender_id.size();
  if (!m.meta_data) return read;
  for (const auto& time : m.meta_data->user_times) read += time.key.size();
  for (const auto& info : m.meta_data->user_infos) read += info.key.size() + info.value.size();
  return read;
}

template <class View>
std::size_t walk_sensor_view(const View& m) {
  std::size_t read = 0;
  for (const auto& sensor : m.lidar_sensor_view) {
    for (const auto& reflection : sensor.reflection) read += reflection.time_of_flight ? 1 : 0;
  }
  if (!m.global_ground_truth) return read;
  for (const auto& object : m.global_ground_truth->moving_object) {
    if (object.base) {
      for (const auto& corner : object.base->base_polygon) read += corner.x ? 1 : 0;
    }
    for (const auto& lane : object.assigned_lane_id) read += lane.value ? 1 : 0;
    for (const auto& reference : object.source_reference) {
      for (const auto& identifier : reference.identifier) read += identifier.size();
    }
  }
  for (const auto& lane : m.global_ground_truth->lane) {
    if (!lane.classification) continue;
    for (const auto& point : lane.classification->centerline) read += point.z ? 1 : 0;
  }
  return read;
}

}  // namespace wirecost::test
