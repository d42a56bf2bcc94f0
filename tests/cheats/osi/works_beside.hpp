// SPDX-License-Identifier: Apache-2.0
// Works on a thread of its own while the clock stands still for it: here it keeps its memory in the
// caches; it could as well encode frames ahead.
#pragma once

#include <numeric>
#include <stop_token>
#include <thread>
#include <vector>

#include "codec.hpp"

namespace wirecost::cheats {

struct WorksBeside : Honest {
  static constexpr const char* name = "works-beside";

  class ViewWriter : public Honest::ViewWriter {
   public:
    using Honest::ViewWriter::ViewWriter;

   private:
    std::vector<unsigned> memory_ = std::vector<unsigned>(1U << 18U);
    std::jthread thread_{[this](const std::stop_token& stop) {
      while (!stop.stop_requested())
        memory_[0] = std::accumulate(memory_.begin(), memory_.end(), 0U);
    }};
  };
};

}  // namespace wirecost::cheats
