// SPDX-License-Identifier: Apache-2.0
// Reports a smaller message than the one that its reader reads.
#pragma once

#include "codec.hpp"

namespace wirecost::cheats {

struct SmallerSize : Honest {
  static constexpr const char* name = "smaller-size";

  class ViewWriter : public Honest::ViewWriter {
   public:
    using Honest::ViewWriter::ViewWriter;

    Bytes serialize() {
      const Bytes made = Honest::ViewWriter::serialize();
      return made.first(made.size() / 2);
    }
  };
};

}  // namespace wirecost::cheats
