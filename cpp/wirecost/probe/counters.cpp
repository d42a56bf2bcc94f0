// SPDX-License-Identifier: Apache-2.0
#include "counters.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "event_names.hpp"

namespace wirecost::probe {
namespace {

/// What the kernel counts by itself, and so never through a register.
bool is_software(const perf_event_attr& attributes) {
  return attributes.type == PERF_TYPE_SOFTWARE || attributes.type == PERF_TYPE_TRACEPOINT ||
         attributes.type == PERF_TYPE_BREAKPOINT;
}

}  // namespace

void set_differences(Record& record, const Snapshot& begin, const Snapshot& end,
                     std::uint8_t opened) {
  record.counted = 0;
  record.scaled = 0;
  for (std::size_t i = 0; i < max_counters; ++i) {
    record.counters[i] = 0;
    const auto bit = static_cast<std::uint8_t>(1U << i);
    if ((opened & bit) == 0) continue;
    const std::uint64_t enabled = end.enabled_ns[i] - begin.enabled_ns[i];
    const std::uint64_t running = end.running_ns[i] - begin.running_ns[i];
    const bool ran = running != 0 || (enabled == 0 && (begin.counting & end.counting & bit) != 0);
    if (!ran) continue;
    std::uint64_t count = end.values[i] - begin.values[i];
    if (running < enabled) {
      const double estimate =
          static_cast<double>(count) * static_cast<double>(enabled) / static_cast<double>(running);
      count = static_cast<std::uint64_t>(std::min(std::round(estimate), 0x1p63));
      record.scaled |= bit;
    }
    record.counters[i] = count;
    record.counted |= bit;
  }
}

Counters::Counters(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < std::min(names.size(), max_counters); ++i) {
    CounterEntry entry = open(i, names[i]);
    std::copy_n(names[i].begin(), std::min(names[i].size(), name_bytes - 1), entry.name.begin());
    entries_.push_back(entry);
  }
  hardware_.map_pages();
}

CounterEntry Counters::open(std::size_t index, const std::string& name) {
  if (usage_.add(index, name) || hooks_.add(index, name) || waits_.add(index, name))
    return {.name = {}, .status = CounterStatus::counted, .error = 0};
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  if (!encode_event(name, attributes))
    return {.name = {}, .status = CounterStatus::unavailable, .error = EINVAL};
  return (is_software(attributes) ? software_ : hardware_).add(index, attributes);
}

CounterSource Counters::source(std::size_t index) const {
  const auto bit = static_cast<std::uint8_t>(1U << index);
  if ((usage_.opened() & bit) != 0) return usage_.source(index);
  if ((hooks_.opened() & bit) != 0) return CounterSource::hook;
  if ((waits_.opened() & bit) != 0) return CounterSource::wait_times;
  if ((software_.opened() & bit) != 0) return software_.source();
  return (hardware_.opened() & bit) != 0 ? hardware_.source() : CounterSource::none;
}

CounterAccess Counters::access() const {
  if (opened() == 0) return CounterAccess::none;
  const bool calls = usage_.calls_system() || waits_.opened() != 0 || !software_.empty() ||
                     (!hardware_.empty() && hardware_.source() == CounterSource::perf_read);
  return calls ? CounterAccess::system_call : CounterAccess::user_space;
}

}  // namespace wirecost::probe
