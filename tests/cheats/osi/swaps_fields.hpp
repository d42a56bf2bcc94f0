// SPDX-License-Identifier: Apache-2.0
// Writes two fields in each other's place and reads them so, hence its sensor finds the right
// detections: only the sensor view is wrong.
#pragma once

#include <utility>

#include "codec.hpp"

namespace wirecost::cheats {

struct SwapsFields : Honest {
  static constexpr const char* name = "swaps-fields";

  static Reflection swapped(Reflection one) {
    std::swap(one.time_of_flight, one.signal_strength);
    return one;
  }

  class ViewWriter : public Honest::ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    using Base::add;
    using Base::Base;

    void add(Reflection reflection) { Base::add(swapped(reflection)); }
  };

  class ViewReader : public Honest::ViewReader {
   public:
    Reflection reflection(std::size_t index) const {
      return swapped(Honest::ViewReader::reflection(index));
    }
  };
};

}  // namespace wirecost::cheats
