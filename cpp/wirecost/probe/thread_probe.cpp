// SPDX-License-Identifier: Apache-2.0
#include "thread_probe.hpp"

#include <algorithm>
#include <bit>

#include "names.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/clock.hpp"

namespace wirecost::probe {
namespace {

/// Which counters have no value, by the reason; empty where all have one.
std::string absent(const std::vector<CounterEntry>& entries) {
  std::string of_machine, of_library;
  for (const CounterEntry& entry : entries) {
    if (entry.status != CounterStatus::unavailable) continue;
    const std::string name = entry.name.data();
    std::string& list = HookCounts::knows(name) ? of_library : of_machine;
    list += (list.empty() ? "" : ", ") + name;
  }
  std::string line;
  if (!of_machine.empty()) line = of_machine + ": not counted on this machine";
  if (!of_library.empty())
    line += (line.empty() ? "" : "; ") + of_library + ": counted under wirecost probe run";
  return line;
}

}  // namespace

ThreadProbe::ThreadProbe(const Settings& settings)
    : log_(settings.folder, settings.records), counters_(settings.counters) {
  if (!log_.open()) {
    say_once(topic_log, log_.trouble());
    return;
  }
  Header& header = log_.header();
  header.access = counters_.access();
  header.counter_count = static_cast<std::uint32_t>(counters_.entries().size());
  std::ranges::copy(counters_.entries(), header.counters.begin());
  for (std::size_t i = 0; i < counters_.entries().size(); ++i)
    header.sources[i] = counters_.source(i);
  if (const std::string line = absent(counters_.entries()); !line.empty())
    say_once(topic_counters, line + ", the rest is recorded");
  header.process_begin_ns = static_cast<std::uint64_t>(process_processor_ns());
  processor_begin_ns_ = thread_processor_ns();
  join(log_);
  for (const auto& [id, whole] : names_for_records()) this->name(id, whole);
  warm_up();
}

void ThreadProbe::warm_up() {
  Record unused{};
  for (Open& open : open_) {
    if (counters_.opened() != 0) counters_.read(open.counters);
    open.begin_ns = monotonic_ns();
    set_differences(unused, open_[0].counters, open.counters, counters_.opened());
  }
}

ThreadProbe::~ThreadProbe() {
  if (!log_.open() || abandoned_) return;
  Header& header = log_.header();
  header.unclosed += depth_ + too_deep_;
  header.thread_processor_ns =
      static_cast<std::uint64_t>(thread_processor_ns() - processor_begin_ns_);
  header.process_end_ns = static_cast<std::uint64_t>(process_processor_ns());
  leave(log_);
  log_.trim();
}

std::uint64_t ThreadProbe::loop_of(std::uint64_t loop) {
  if (loop != WIRECOST_PROBE_COUNT_LOOPS) return loop;
  return depth_ == 0 ? outermost_ : open_[depth_ - 1].loop;
}

void ThreadProbe::begin(std::uint32_t id, std::uint64_t loop) {
  if (depth_ == max_depth) {
    ++too_deep_;
    write_once(topic_depth,
               "wirecost probe: sections nest more than 32 deep; the innermost are dropped\n");
    return;
  }
  Open& open = open_[depth_];
  open.id = id;
  open.loop = loop_of(loop);
  if (depth_ == 0) ++outermost_;
  ++depth_;
  if (counters_.opened() != 0) counters_.read(open.counters);
  open.begin_ns = monotonic_ns();
}

std::size_t ThreadProbe::innermost(std::uint32_t id) const {
  std::size_t at = depth_;
  while (at != 0 && open_[at - 1].id != id) --at;
  return at;
}

void ThreadProbe::give_up(std::uint32_t id) {
  if (too_deep_ != 0) {
    --too_deep_;
    ++log_.header().dropped;
    return;
  }
  const std::size_t at = innermost(id);
  if (at == 0) return;
  log_.header().unclosed += depth_ - (at - 1);
  depth_ = at - 1;
}

void ThreadProbe::end(std::uint32_t id, std::int64_t value) {
  const std::int64_t end_ns = monotonic_ns();
  Snapshot counters;
  if (counters_.opened() != 0) counters_.read(counters);
  Header& header = log_.header();
  if (too_deep_ != 0) {
    --too_deep_;
    ++header.dropped;
    return;
  }
  const std::size_t at = innermost(id);
  if (at == 0) {
    ++header.unmatched;
    return;
  }
  header.unclosed += depth_ - at;
  depth_ = at - 1;
  Record* record = log_.next();
  if (record == nullptr) return;
  const Open& open = open_[depth_];
  record->id = id;
  record->parent = parent_at(depth_);
  record->kind = RecordKind::section;
  record->depth = static_cast<std::uint8_t>(depth_);
  record->loop = open.loop;
  record->value = value;
  record->begin_ns = open.begin_ns;
  record->end_ns = end_ns;
  if (counters_.opened() != 0)
    set_differences(*record, open.counters, counters, counters_.opened());
  log_.publish();
}

Record* ThreadProbe::instant(RecordKind kind, std::uint32_t id, std::uint32_t parent,
                             std::uint64_t loop) {
  const std::int64_t now = monotonic_ns();
  Record* record = log_.next();
  if (record == nullptr) return nullptr;
  record->id = id;
  record->parent = parent;
  record->kind = kind;
  record->depth = static_cast<std::uint8_t>(depth_);
  record->loop = loop_of(loop);
  record->begin_ns = now;
  record->end_ns = now;
  return record;
}

void ThreadProbe::past(RecordKind kind, std::uint32_t id, std::int64_t begin_ns,
                       std::int64_t end_ns, std::uint64_t loop, std::int64_t value,
                       std::uint64_t message) {
  Record* record = instant(kind, id, parent_at(depth_), loop);
  if (record == nullptr) return;
  record->value = value;
  record->begin_ns = begin_ns;
  record->end_ns = end_ns;
  record->message = message;
  log_.publish();
}

void ThreadProbe::mark(std::uint32_t id, std::uint16_t part, std::uint64_t loop,
                       std::int64_t value) {
  Record* record = instant(RecordKind::mark, id, parent_at(depth_), loop);
  if (record == nullptr) return;
  record->part = part;
  record->value = value;
  log_.publish();
}

void ThreadProbe::values(std::uint32_t id, std::uint32_t variable, std::uint64_t loop,
                         std::span<const double> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::uint32_t part = 0;; ++part) {
    Record* record =
        part > UINT16_MAX ? log_.drop() : instant(RecordKind::values, variable, id, loop);
    if (record == nullptr) return;
    const std::size_t here = std::min(values.size(), max_counters);
    record->part = static_cast<std::uint16_t>(part);
    record->value = count;
    record->counted = static_cast<std::uint8_t>((1U << here) - 1);
    std::ranges::transform(values.first(here), record->counters.begin(),
                           [](double value) { return std::bit_cast<std::uint64_t>(value); });
    log_.publish();
    values = values.subspan(here);
    if (values.empty()) return;
  }
}

void ThreadProbe::text(std::uint32_t id, std::uint32_t variable, std::uint16_t index,
                       std::uint64_t loop, std::string_view text) {
  Record* record = instant(RecordKind::text, variable, id, loop);
  if (record == nullptr) return;
  record->part = index;
  record->value = static_cast<std::int64_t>(text.size());
  text.copy(reinterpret_cast<char*>(record->counters.data()), sizeof(record->counters));
  log_.publish();
}

void ThreadProbe::name(std::uint32_t id, std::string_view name) {
  name = name.substr(0, longest_name);
  constexpr std::size_t chunk = sizeof(Record::counters);
  for (std::size_t at = 0; at < name.size(); at += chunk)
    text(id, name_variable, static_cast<std::uint16_t>(at / chunk), 0, name.substr(at, chunk));
}

}  // namespace wirecost::probe
