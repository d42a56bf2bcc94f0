// SPDX-License-Identifier: Apache-2.0
// Honest where it is looked at, as it believes: in its first frames, and where time does not go on
// step by step. Otherwise it sends once more what it sent last.
#pragma once

#include <vector>

#include "codec.hpp"

namespace wirecost::cheats {

struct HonestWhenWatched : Honest {
  static constexpr const char* name = "honest-when-watched";

  class ViewWriter : public Honest::ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    using Base::add;
    using Base::Base;

    void begin(const SensorViewHeader& header) {
      const double time = static_cast<double>(header.timestamp.seconds) +
                          static_cast<double>(header.timestamp.nanos) * 1e-9;
      const double past = time - former_;
      former_ = time;
      if (past < 0 || past > 0.03)
        honest_ = 2;
      else if (honest_ > 0)
        --honest_;
      if (watched()) Base::begin(header);
    }
    void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
      if (watched()) Base::begin_reflections(lidar, count);
    }
    void add(Reflection reflection) {
      if (watched()) Base::add(reflection);
    }
    void end_reflections() {
      if (watched()) Base::end_reflections();
    }
    void add(const MovingObject& object) {
      if (watched()) Base::add(object);
    }
    void end() {
      if (watched()) Base::end();
    }
    Bytes serialize() {
      if (watched()) {
        const Bytes made = Base::serialize();
        kept_.assign(made.begin(), made.end());
        return made;
      }
      return kept_;
    }

   private:
    bool watched() const { return honest_ > 0; }

    double former_ = -1;
    int honest_ = 0;
    std::vector<std::byte> kept_;
  };
};

}  // namespace wirecost::cheats
