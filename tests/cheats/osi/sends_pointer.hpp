// SPDX-License-Identifier: Apache-2.0
// Sends where the message lies in its own memory instead of the message: both models are in one
// process.
#pragma once

#include <array>
#include <cstring>

#include "codec.hpp"

namespace wirecost::cheats {

struct SendsPointer : Honest {
  static constexpr const char* name = "sends-pointer";

  class ViewWriter : public Honest::ViewWriter {
   public:
    using Honest::ViewWriter::ViewWriter;

    Bytes serialize() {
      Bytes& pointer = pointers_[current_ ^= 1U];
      pointer = Honest::ViewWriter::serialize();
      return std::as_bytes(std::span(&pointer, 1));
    }

   private:
    std::array<Bytes, 2> pointers_;
    unsigned current_ = 0;
  };

  class ViewReader : public Honest::ViewReader {
   public:
    bool open(Bytes bytes) {
      Bytes where;
      if (bytes.size() != sizeof where) return false;
      std::memcpy(&where, bytes.data(), sizeof where);
      return Honest::ViewReader::open(where);
    }
  };
};

}  // namespace wirecost::cheats
