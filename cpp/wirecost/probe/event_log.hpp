// SPDX-License-Identifier: Apache-2.0
// The events of a model's steps, kept in memory and written as SET Level performance JSON.
// Format: docs/formats/performance-log.md.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

/// What one step did: at most `capacity` timestamps. Marking costs one clock reading.
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

class EventLog {
 public:
  explicit EventLog(std::string model_identity);

  /// Keeps a finished step; called after its last timestamp, so it costs no measured time.
  void keep(const StepEvents& step, double simulation_time,
            std::array<std::size_t, 2> message_sizes);

  /// Writes `<model>_timing_%H-%M-%S.json` into `folder` unless no step was kept.
  /// Returns whether the file is complete; a failed one is removed.
  bool write(const std::filesystem::path& folder) const;

 private:
  struct Row {
    StepEvents::Entry entry;
    double simulation_time;
    std::size_t message_size;
  };

  std::string model_identity_;
  std::int64_t wall_minus_monotonic_ns_;
  std::vector<Row> rows_;
};

}  // namespace wirecost
