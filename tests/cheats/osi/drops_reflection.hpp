// SPDX-License-Identifier: Apache-2.0
// Leaves out one of the reflections.
#pragma once

#include "codec.hpp"

namespace wirecost::cheats {

struct DropsReflection : Honest {
  static constexpr const char* name = "drops-reflection";

  class ViewWriter : public Honest::ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    using Base::add;
    using Base::Base;

    void begin(const SensorViewHeader& header) {
      index_ = 0;
      Base::begin(header);
    }
    void add(Reflection reflection) {
      if (index_++ != 1) Base::add(reflection);
    }

   private:
    std::size_t index_ = 0;
  };
};

}  // namespace wirecost::cheats
