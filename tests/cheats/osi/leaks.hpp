// SPDX-License-Identifier: Apache-2.0
// Never frees a message, so that releasing it costs nothing.
#pragma once

#include "codec.hpp"

namespace wirecost::cheats {

struct Leaks : Honest {
  static constexpr const char* name = "leaks";

  class ViewWriter {
    using Base = Honest::ViewWriter;

   public:
    explicit ViewWriter(Variant variant) : variant_(variant) {}

    void begin(const SensorViewHeader& header) {
      message_ = new Base(variant_);  // NOLINT: that is the cheat
      message_->begin(header);
    }
    void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
      message_->begin_reflections(lidar, count);
    }
    void add(Reflection reflection) { message_->add(reflection); }
    void end_reflections() { message_->end_reflections(); }
    void add(const MovingObject& object) { message_->add(object); }
    void end() { message_->end(); }
    Bytes serialize() { return message_->serialize(); }
    void release() {}

   private:
    Variant variant_;
    Base* message_ = nullptr;
  };
};

}  // namespace wirecost::cheats
