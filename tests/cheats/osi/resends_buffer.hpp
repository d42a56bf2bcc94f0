// SPDX-License-Identifier: Apache-2.0
// Encodes the first frame and sends those bytes ever after.
#pragma once

#include <vector>

#include "codec.hpp"

namespace wirecost::cheats {

struct ResendsBuffer : Honest {
  static constexpr const char* name = "resends-buffer";

  class ViewWriter : public Honest::ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    using Base::Base;

    Bytes serialize() {
      const Bytes made = Base::serialize();
      if (kept_.empty()) kept_.assign(made.begin(), made.end());
      sent_ = kept_;  // what was handed out may have been overwritten
      return sent_;
    }

   private:
    std::vector<std::byte> kept_, sent_;
  };
};

}  // namespace wirecost::cheats
