// SPDX-License-Identifier: Apache-2.0
// Rounds signal strengths to single precision, which would take half the bytes.
#pragma once

#include "codec.hpp"

namespace wirecost::cheats {

struct RoundsValues : Honest {
  static constexpr const char* name = "rounds-values";

  class ViewWriter : public Honest::ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    using Base::add;
    using Base::Base;

    void add(Reflection reflection) {
      reflection.signal_strength = static_cast<float>(reflection.signal_strength);
      Base::add(reflection);
    }
  };
};

}  // namespace wirecost::cheats
