// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "record.hpp"
#include "undisturbed.hpp"

namespace wirecost::probe {
namespace {

constexpr const char* default_counters =
    "instructions,cycles,LLC-load-misses,LLC-store-misses,minor-faults,major-faults,"
    "context-switches,cpu-migrations";
constexpr std::size_t default_size = std::size_t{16} << 20;
constexpr std::size_t largest_size = std::size_t{1} << 40;

constinit std::array<std::atomic<bool>, topics> printed{};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Bytes from "64MiB", "64M" (64,000,000) and the like; 0 where that is no size.
std::size_t size_from(std::string_view text) {
  std::size_t size = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && size <= largest_size) {
    size = size * 10 + static_cast<std::size_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  if (text.ends_with('B')) text.remove_suffix(1);
  const std::size_t step = text.ends_with('i') ? 1024 : 1000;
  if (text.size() > 1 && step == 1024) text.remove_suffix(1);
  constexpr std::string_view units = "kMG";
  const char unit = text == "K" ? 'k' : text.empty() ? 'B' : text[0];
  if (text.size() == 1 && units.find(unit) != units.npos) {
    for (std::size_t i = 0; i <= units.find(unit) && size <= largest_size; ++i) size *= step;
    text.remove_prefix(1);
  }
  return text.empty() && size <= largest_size ? size : 0;
}

std::vector<std::string> parts_of(std::string_view text, char separator = ',') {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(separator), text.size());
    if (comma != 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

/// Lines "COUNTER MOST PATTERN"; what is no such line limits nothing.
std::vector<Limit> limits_from(std::string_view text) {
  std::vector<Limit> limits;
  for (const std::string& line : parts_of(text, '\n')) {
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    if (first == line.npos || second == line.npos) continue;
    limits.push_back(
        {line.substr(0, first), std::strtoull(&line[first], nullptr, 10), line.substr(second + 1)});
  }
  return limits;
}

Settings from_environment() {
  Settings result;
  result.folder = variable("WIRECOST_PROBE");
  if (result.folder.empty()) return result;
  const std::string counters = variable("WIRECOST_PROBE_COUNTERS");
  if (counters != "none")
    result.counters = parts_of(counters.empty() ? default_counters : counters);
  if (result.counters.size() > max_counters) {
    result.counters.resize(max_counters);
    say_once(topic_counters, "WIRECOST_PROBE_COUNTERS: only the first 8 counters are read");
  }
  const std::string text = variable("WIRECOST_PROBE_SIZE");
  std::size_t size = text.empty() ? default_size : size_from(text);
  if (size < sizeof(Record)) {
    say_once(topic_settings, "WIRECOST_PROBE_SIZE=" + text.substr(0, 40) +
                                 ": not a size from 128 bytes to 1024GiB; 16MiB are used");
    size = default_size;
  }
  result.records = size / sizeof(Record);
  const std::string after = variable("WIRECOST_PROBE_STACKS");
  result.stacks = !after.empty();
  result.after_ns = std::strtoll(after.c_str(), nullptr, 10);
  result.limits = limits_from(variable("WIRECOST_PROBE_LIMITS"));
  result.stops = !variable("WIRECOST_PROBE_STOP").empty();
  return result;
}

}  // namespace

const Settings& settings() {
  // Never destroyed: other threads may record while the process exits. Who comes first is not
  // waited for, since a child of fork() may not have that thread.
  static constinit std::atomic<const Settings*> first{nullptr};
  const Settings* known = first.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<const Settings>(from_environment());
  if (first.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *known;
}

void say_once(int topic, std::string_view line) {
  if (!printed[static_cast<std::size_t>(topic)].load(std::memory_order_relaxed))
    write_once(topic, whole_line(line));
}

std::string whole_line(std::string_view line) {
  return "wirecost probe: " + std::string(line) + "\n";
}

void write_once(int topic, std::string_view whole_line) {
  std::atomic<bool>& done = printed[static_cast<std::size_t>(topic)];
  if (done.load(std::memory_order_relaxed) || done.exchange(true)) return;
  const Undisturbed undisturbed;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, whole_line.data(), whole_line.size());
}

}  // namespace wirecost::probe
