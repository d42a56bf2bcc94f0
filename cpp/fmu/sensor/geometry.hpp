// SPDX-License-Identifier: Apache-2.0
// From global coordinates to the sensor's, with OSI's order of rotations (yaw, pitch, roll).
#pragma once

#include <cmath>

#include "wirecost/message/scene.hpp"

namespace wirecost {

inline Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline double length(const Vector3& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

/// Rotation into the frame of a body with the given orientation: the transpose of the body's
/// own rotation, its trigonometry done once.
class IntoFrame {
 public:
  explicit IntoFrame(const Orientation& o) {
    const double sr = std::sin(o.roll), cr = std::cos(o.roll);
    const double sp = std::sin(o.pitch), cp = std::cos(o.pitch);
    const double sy = std::sin(o.yaw), cy = std::cos(o.yaw);
    x_ = {cy * cp, sy * cp, -sp};
    y_ = {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr};
    z_ = {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr};
  }

  Vector3 operator()(const Vector3& v) const { return {dot(x_, v), dot(y_, v), dot(z_, v)}; }

 private:
  static double dot(const Vector3& a, const Vector3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }

  Vector3 x_, y_, z_;  // the body's axes in global coordinates
};

}  // namespace wirecost
