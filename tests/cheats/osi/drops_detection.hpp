// SPDX-License-Identifier: Apache-2.0
// Leaves out the last of the detections, so that only the sensor data is wrong.
#pragma once

#include "codec.hpp"

namespace wirecost::cheats {

struct DropsDetection : Honest {
  static constexpr const char* name = "drops-detection";

  class DataWriter : public Honest::DataWriter {
    using Base = Honest::DataWriter;

   public:
    using Base::add;
    using Base::Base;

    void begin_detections(std::size_t count) {
      left_ = count;
      Base::begin_detections(count);
    }
    void add(Detection detection) {
      if (--left_ > 0) Base::add(detection);
    }

   private:
    std::size_t left_ = 0;
  };
};

}  // namespace wirecost::cheats
