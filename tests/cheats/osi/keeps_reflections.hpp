// SPDX-License-Identifier: Apache-2.0
// Keeps the first frame's reflections and writes them into every later one.
#pragma once

#include <vector>

#include "codec.hpp"

namespace wirecost::cheats {

struct KeepsReflections : Honest {
  static constexpr const char* name = "keeps-reflections";

  class ViewWriter : public Honest::ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    using Base::add;
    using Base::Base;

    void begin(const SensorViewHeader& header) {
      ++frame_;
      next_ = 0;
      Base::begin(header);
    }
    void add(Reflection reflection) {
      if (frame_ == 1) kept_.push_back(reflection);
      Base::add(kept_[next_++]);
    }

   private:
    std::size_t frame_ = 0, next_ = 0;
    std::vector<Reflection> kept_;
  };
};

}  // namespace wirecost::cheats
