// SPDX-License-Identifier: Apache-2.0
#include "thread_probe.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <csignal>
#include <cstdio>

#include "names.hpp"
#include "undisturbed.hpp"
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

/// When this process entered its first section.
std::int64_t first_ns(std::int64_t now) {
  static std::atomic<std::int64_t> first{0};
  std::int64_t known = first.load(std::memory_order_relaxed);
  if (known == 0 && first.compare_exchange_strong(known, now, std::memory_order_relaxed))
    return now;
  return known;
}

/// The calling thread's, where a library counts its system calls.
Reports* system_calls(const Counters& counters) {
  for (std::size_t i = 0; i < counters.entries().size(); ++i) {
    if (std::string_view(counters.entries()[i].name.data()) != "system-calls" ||
        counters.source(i) != CounterSource::hook)
      continue;
    using OfThread = Reports* (*)();
    const auto found =
        reinterpret_cast<OfThread>(dlsym(RTLD_DEFAULT, "wirecost_system_call_reports"));
    return found == nullptr ? nullptr : found();
  }
  return nullptr;
}

}  // namespace

class [[nodiscard]] ThreadProbe::Unwatched {
 public:
  explicit Unwatched(ThreadProbe& probe) : probe_(probe) {
    if (probe_.watches_) probe_.watch(false);
  }
  ~Unwatched() {
    if (probe_.watches_) probe_.watch(probe_.depth_ != 0);
  }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  ThreadProbe& probe_;
};

ThreadProbe::ThreadProbe(const Settings& settings)
    : Observer{[](Observer& self, Event event, const void* at, Detail detail) {
        static_cast<ThreadProbe&>(self).seen(event, at, detail);
      }},
      log_(settings.folder, settings.records),
      counters_(settings.counters),
      system_calls_(system_calls(counters_)),
      limits_(settings.limits, counters_.entries()),
      stops_(settings.stops),
      after_ns_(settings.after_ns) {
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
  if (settings.stacks) stacks_ = std::make_unique<Stacks>(counters_.entries());
  watches_ = stacks_ != nullptr || system_calls_ != nullptr;
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
  if (!abandoned_ && in_thread_section_) end(open_[0].id, 0);
  stacks_.reset();
  if (system_calls_ != nullptr) system_calls_->close();
  if (!log_.open() || abandoned_) return;
  Header& header = log_.header();
  header.unclosed += depth_ + too_deep_;
  header.thread_processor_ns =
      static_cast<std::uint64_t>(thread_processor_ns() - processor_begin_ns_);
  header.process_end_ns = static_cast<std::uint64_t>(process_processor_ns());
  leave(log_);
  log_.trim();
}

void ThreadProbe::watch(bool watched) {
  if (system_calls_ != nullptr && !watched) system_calls_->arm(false);
  if (stacks_ != nullptr) {
    watched_ = watched;
    if (const bool inside = depth_ != 0; inside != observed_) {
      observed_ = inside;
      stacks_->observe(inside ? this : nullptr);
      // From the first one on: to switch it for each section would cost it system calls.
      if (inside && !stacks_->armed() && (in_thread_section_ || is_warm(open_[0].begin_ns)))
        stacks_->arm(true);
    }
  }
  if (system_calls_ != nullptr && watched) system_calls_->arm(true);
}

bool ThreadProbe::is_warm(std::int64_t begin_ns) const {
  return begin_ns - first_ns(begin_ns) >= after_ns_;
}

void ThreadProbe::seen(Event event, const void* at, Detail detail) {
  if (!watched_) return;
  watched_ = false;
  ++events_[static_cast<std::size_t>(event)];
  // Handlers let our own system calls pass already.
  Reports* const armed = at == nullptr ? system_calls_ : nullptr;
  if (in_thread_section_ && !is_warm(open_[0].begin_ns)) {
    const Undisturbed undisturbed;
    if (armed != nullptr) armed->arm(false);
    leave_out_warm_up(monotonic_ns());
    if (armed != nullptr) armed->arm(true);
  }
  const Open& open = open_[depth_ - 1];
  if ((is_warm(open.begin_ns) || is_warm(open_[0].begin_ns)) && is_exceeding(event)) {
    const Undisturbed undisturbed;
    if (armed != nullptr) armed->arm(false);
    const ThreadUsage::Faults before = counters_.faults();
    stacks_->add(event, at, detail,
                 {open.id, parent_at(depth_ - 1), std::uint8_t(depth_ - 1), open.loop},
                 monotonic_ns());
    counters_.leave_out_since(before);
    if (stops_) stop_if_exceeded();
    if (armed != nullptr) armed->arm(true);
  }
  watched_ = true;
}

void ThreadProbe::leave_out_warm_up(std::int64_t now) {
  Open& thread = open_[0];
  if (is_warm(now)) {
    // Since the last event of the warm-up nothing was counted.
    thread.begin_ns = first_ns(now) + after_ns_;
    return;
  }
  thread.begin_ns = now;
  thread.events = events_;
  if (counters_.opened() != 0) counters_.read(thread.counters);
}

bool ThreadProbe::is_exceeding(Event event) const {
  if (!limits_.any()) return true;
  const auto kind = static_cast<std::size_t>(event);
  for (std::size_t at = depth_; at != 0; --at) {
    const Open& open = open_[at - 1];
    if (open.most == nullptr) continue;
    for (unsigned left = stacks_->counters_of(event); left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint64_t most = open.most->of_counter[i];
      if (most == SectionLimits::unlimited) continue;
      // Of bytes and times it is not known here how many the event was.
      const bool by_one = (stacks_->counted() >> i & 1U) != 0;
      if (!by_one || events_[kind] - open.events[kind] > most) return true;
    }
  }
  return false;
}

void ThreadProbe::stop_if_exceeded() {
  Snapshot now;
  counters_.read(now);
  for (std::size_t at = depth_; at != 0; --at) {
    const Open& open = open_[at - 1];
    if (open.most == nullptr || !is_warm(open.begin_ns)) continue;
    for (std::size_t i = 0; i < counters_.entries().size(); ++i) {
      const std::uint64_t count = now.values[i] - open.counters.values[i];
      const std::uint64_t most = open.most->of_counter[i];
      if (count <= most || (now.counting & open.counters.counting & 1U << i) == 0) continue;
      const char* const counter = counters_.entries()[i].name.data();
      std::array<char, longest_name + 160> line{};
      std::snprintf(line.data(), line.size(), "%s %llu %s", counter,
                    static_cast<unsigned long long>(count), open.most->section);
      stacks_->write_stopped(log_, line.data());
      std::snprintf(line.data(), line.size(),
                    "wirecost probe: %s: %s %llu, limit %llu: stopped by SIGTRAP\n",
                    open.most->section, counter, static_cast<unsigned long long>(count),
                    static_cast<unsigned long long>(most));
      write_once(topic_stop, line.data());
      std::raise(SIGTRAP);
      return;
    }
  }
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
  const Unwatched unwatched(*this);
  Open& open = open_[depth_];
  open.id = id;
  open.loop = loop_of(loop);
  if (watches_) {
    open.most = limits_.any() ? limits_.of(id) : nullptr;
    open.events = events_;
  }
  if (depth_ == 0) ++outermost_;
  ++depth_;
  if (watches_ && system_calls_ != nullptr) system_calls_->prepare();
  if (counters_.opened() != 0) counters_.read(open.counters);
  open.begin_ns = monotonic_ns();
  if (watches_) first_ns(open.begin_ns);
}

void ThreadProbe::set_thread_section(std::uint32_t id) {
  if (id == thread_section_) return;
  pause();
  thread_section_ = id;
  if (id == no_parent) return;
  // So that the log shows when the warm-up began, whatever is left out of it.
  mark(id, 0, WIRECOST_PROBE_COUNT_LOOPS, 0);
  resume();
}

void ThreadProbe::pause() {
  if (in_thread_section_ && depth_ == 1) end(open_[0].id, 0);
}

void ThreadProbe::resume() {
  if (thread_section_ == no_parent || depth_ != 0) return;
  in_thread_section_ = true;
  begin(thread_section_, WIRECOST_PROBE_COUNT_LOOPS);
}

std::size_t ThreadProbe::innermost(std::uint32_t id) const {
  std::size_t at = depth_;
  while (at != 0 && open_[at - 1].id != id) --at;
  return at;
}

void ThreadProbe::give_up(std::uint32_t id) {
  const Unwatched unwatched(*this);
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
  const Unwatched unwatched(*this);
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
  if (depth_ == 0 && in_thread_section_) {
    in_thread_section_ = false;
    if (stacks_ != nullptr && !is_warm(open_[0].begin_ns) && is_warm(end_ns))
      leave_out_warm_up(end_ns);
  }
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
  if (watches_ && stacks_ != nullptr && depth_ == 0) stacks_->write(log_);
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
