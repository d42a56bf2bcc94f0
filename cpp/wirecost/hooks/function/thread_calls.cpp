// SPDX-License-Identifier: Apache-2.0
#include "thread_calls.hpp"

#include <cerrno>
#include <cstring>

namespace wirecost::function {
namespace {

constexpr std::size_t most_calls = 255;
constexpr std::uint32_t first_id = 0x1'0000;
/// What is further away is on another stack, as a coroutine's.
constexpr std::uint64_t one_stack = std::uint64_t{1} << 20;

/// Two calls from one place of a function have the same place on the stack.
bool is_at_or_below(std::uint64_t stack, std::uint64_t other) {
  return stack <= other && other - stack < one_stack;
}

}  // namespace

ThreadCalls::ThreadCalls(const LogPlan& plan, const probe::Owner& owner)
    : log_(plan.folder, plan.records, owner), counters_(plan.counters.size()) {
  if (!log_.open()) return;
  probe::Header& header = log_.header();
  std::size_t next = 0;
  const auto add = [&](const std::string& name, bool available) {
    if (next == probe::max_counters) return;
    probe::CounterEntry entry{};
    name.copy(entry.name.data(), entry.name.size() - 1);
    entry.status = available ? probe::CounterStatus::counted : probe::CounterStatus::unavailable;
    entry.error = available ? 0 : ENOTSUP;
    header.sources[next] =
        available ? probe::CounterSource::kernel_events : probe::CounterSource::none;
    header.counters[next++] = entry;
  };
  for (const std::string& name : plan.counters) add(name, true);
  for (const std::string& name : plan.absent) add(name, false);
  header.counter_count = static_cast<std::uint32_t>(next);
  header.access = counters_ == 0 ? probe::CounterAccess::none : probe::CounterAccess::system_call;
  write_names(plan);
}

void ThreadCalls::write_names(const LogPlan& plan) {
  for (std::size_t i = 0; i < plan.sections.size(); ++i) {
    const std::string& name = plan.sections[i];
    const auto id = first_id + static_cast<std::uint32_t>(i);
    log_.name(id, name);
    constexpr std::size_t chunk = sizeof(probe::Record::counters);
    for (std::size_t at = 0; at < name.size() && name.size() >= probe::name_bytes; at += chunk) {
      probe::Record* record = log_.next();
      if (record == nullptr) return;
      record->id = probe::name_variable;
      record->parent = id;
      record->kind = probe::RecordKind::text;
      record->part = static_cast<std::uint16_t>(at / chunk);
      record->value = static_cast<std::int64_t>(std::min(chunk, name.size() - at));
      name.copy(reinterpret_cast<char*>(record->counters.data()), chunk, at);
      log_.publish();
    }
  }
}

void ThreadCalls::entered(std::uint32_t function, std::uint64_t stack, std::int64_t time_ns) {
  // A destructor, perhaps, or the next call after the exception.
  if (unwinding_) end_all_below(stack, time_ns);
  // Calls at or below this place were left without a return that was seen, as by longjmp.
  std::size_t live = calls_.size();
  while (live != 0 && is_at_or_below(calls_[live - 1].stack, stack)) --live;
  give_up(live);
  if (calls_.size() == most_calls) return dropped(1);
  const std::uint64_t loop = calls_.empty() ? outermost_++ : calls_.back().loop;
  calls_.push_back(
      {.function = function, .stack = stack, .begin_ns = time_ns, .loop = loop, .counts = counts_});
}

void ThreadCalls::left(std::uint32_t function, std::uint64_t stack, std::int64_t time_ns) {
  std::size_t at = calls_.size();
  while (at != 0 && (calls_[at - 1].stack != stack || calls_[at - 1].function != function)) --at;
  if (at == 0) {
    ++log_.header().unmatched;
    return;
  }
  // A call above it may be on another stack and go on.
  std::size_t inner = calls_.size();
  while (inner > at && is_at_or_below(calls_[inner - 1].stack, stack)) --inner;
  if (inner == at) {
    give_up(at);
    record(at - 1, time_ns);
    calls_.pop_back();
  } else {
    record(at - 1, time_ns);
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(at - 1));
  }
}

void ThreadCalls::caught(std::uint64_t stack, std::int64_t time_ns) {
  end_all_below(stack, time_ns);
  unwinding_ = false;
}

void ThreadCalls::end_all_below(std::uint64_t stack, std::int64_t time_ns) {
  while (!calls_.empty() && is_at_or_below(calls_.back().stack, stack)) {
    record(calls_.size() - 1, time_ns);
    calls_.pop_back();
  }
}

void ThreadCalls::record(std::size_t depth, std::int64_t end_ns) {
  probe::Record* record = log_.next();
  if (record == nullptr) return;
  const Call& call = calls_[depth];
  record->id = first_id + call.function;
  record->parent = depth == 0 ? probe::no_parent : first_id + calls_[depth - 1].function;
  record->kind = probe::RecordKind::section;
  record->depth = static_cast<std::uint8_t>(depth);
  record->loop = call.loop;
  record->begin_ns = call.begin_ns;
  record->end_ns = end_ns;
  for (std::size_t i = 0; i < counters_; ++i) record->counters[i] = counts_[i] - call.counts[i];
  record->counted = static_cast<std::uint8_t>((1U << counters_) - 1);
  log_.publish();
}

void ThreadCalls::give_up(std::size_t from) {
  log_.header().unclosed += calls_.size() - from;
  calls_.resize(from);
}

void ThreadCalls::finish() {
  give_up(0);
  log_.trim();
}

}  // namespace wirecost::function
