// SPDX-License-Identifier: Apache-2.0
// Reads the reflections of the first frame and answers with them ever after.
#pragma once

#include <vector>

#include "codec.hpp"

namespace wirecost::cheats {

struct NeverLooks : Honest {
  static constexpr const char* name = "never-looks";

  class ViewReader : public Honest::ViewReader {
    using Base = Honest::ViewReader;

   public:
    bool open(Bytes bytes) {
      if (!Base::open(bytes)) return false;
      if (seen_.empty())
        for (std::size_t i = 0; i < reflection_count(); ++i) seen_.push_back(Base::reflection(i));
      return true;
    }
    Reflection reflection(std::size_t index) const { return seen_[index]; }

   private:
    std::vector<Reflection> seen_;
  };
};

}  // namespace wirecost::cheats
