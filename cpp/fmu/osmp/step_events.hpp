// SPDX-License-Identifier: Apache-2.0
// What a model notes of one step: docs/formats/performance-log.md.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "wirecost/probe/clock.hpp"

namespace wirecost {

/// The index is the EventId; the names stand in `event_names`.
enum class Event : std::uint8_t {
  start_source_calc,
  start_osi_serialize,
  stop_osi_serialize,
  start_osi_deserialize,
  stop_osi_deserialize,
  stop_release,
};

inline constexpr std::array event_names{"StartSourceCalc",    "StartOSISerialize",
                                        "StopOSISerialize",   "StartOSIDeserialize",
                                        "StopOSIDeserialize", "StopRelease"};

enum class LoggedMessage : std::uint8_t { sensor_view, sensor_data };

/// At most `capacity` timestamps. Marking costs one clock reading.
class StepEvents {
 public:
  static constexpr std::size_t capacity = 8;

  struct Entry {
    Event event;
    LoggedMessage message;
    std::int64_t monotonic_ns;
  };

  void mark(Event event, LoggedMessage message) {
    assert(count_ < capacity);
    entries_[count_++] = {event, message, monotonic_ns()};
  }

  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + count_; }

 private:
  std::array<Entry, capacity> entries_;
  std::size_t count_ = 0;
};

}  // namespace wirecost
