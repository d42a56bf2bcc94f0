// SPDX-License-Identifier: Apache-2.0
// One version of a case study: what it is given before anything is timed, and its callback. C++17,
// as the version that speaks ROS 1 needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wirecost::bench::cloud {

/// Everything that a callback could be about; what a study does not know of is empty.
struct Input {
  std::vector<std::vector<std::byte>> clouds;  ///< taken in turns
  bool older = false;                          ///< ring: PointXYZIRADRT, else PointXYZIRCAEDT
  bool published = false;                      ///< ring: as the published filter behaves
  std::vector<std::vector<double>> areas;      ///< x, y, x, y, …, not closed
  bool first = false;                          ///< area: stop at the first point inside
};

class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  virtual void load(const Input& input) = 0;
  /// Where the callback reads a cloud, as it lies in the input; it changes between calls.
  virtual std::byte* message(std::size_t cloud) = 0;
  /// The callback, for one of the clouds: a message comes, another goes.
  virtual void call(std::size_t cloud) = 0;
  /// The answer of the last call, the same bytes from every version.
  virtual std::vector<std::byte> answer() const = 0;
};

struct Version {
  std::string name;     ///< usual, recommended, wirecost
  std::string library;  ///< what it is made with
  std::string about;
  std::unique_ptr<Contender> (*make)();
};

std::unique_ptr<Contender> make_ring_pcl();
std::unique_ptr<Contender> make_ring_in_place();
std::unique_ptr<Contender> make_ring_filter();
std::unique_ptr<Contender> make_area_within();
std::unique_ptr<Contender> make_area_circle();
std::unique_ptr<Contender> make_area_bands();

}  // namespace wirecost::bench::cloud
