// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::probe {

/// The most that a counter may grow in one execution of the sections that match a pattern.
struct Limit {
  std::string counter;
  std::uint64_t most;
  std::string pattern;
};

/// From the environment: WIRECOST_PROBE, WIRECOST_PROBE_COUNTERS, WIRECOST_PROBE_SIZE,
/// WIRECOST_PROBE_STACKS, WIRECOST_PROBE_LIMITS, WIRECOST_PROBE_STOP.
struct Settings {
  std::string folder;  ///< empty: nothing is recorded
  std::vector<std::string> counters;
  std::size_t records = 0;  ///< of one thread
  bool stacks = false;
  std::int64_t after_ns = 0;  ///< of the process, from where on stacks are kept
  std::vector<Limit> limits;  ///< only above them stacks are kept; none: always
  bool stops = false;         ///< at the first count above its limit
};

/// Read at the first call; what is not understood is reported once and replaced by the default.
const Settings& settings();

/// One line on stderr, at most once in the life of the process for the same `topic`. Afterwards it
/// allocates nothing.
void say_once(int topic, std::string_view line);

/// What `say_once` makes of a line, and writes. Signal handlers may call the second, and whoever
/// has vector registers to keep: it allocates and copies nothing.
std::string whole_line(std::string_view line);
void write_once(int topic, std::string_view whole_line);

enum Topic : int {
  topic_settings,
  topic_counters,
  topic_log,
  topic_names,
  topic_depth,
  topic_cut,
  topic_full,
  topic_stop,
  topics
};

}  // namespace wirecost::probe
