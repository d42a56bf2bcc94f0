// SPDX-License-Identifier: Apache-2.0
#include "reported_calls.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include "all_registers.hpp"
#include "wirecost/probe.h"

namespace wirecost::function {
namespace {

constexpr std::size_t places = 1024;
constexpr std::size_t most_calls = 128;
constexpr std::uintptr_t one_stack = std::uintptr_t{1} << 20;
/// Stands where a function was forgotten: others may lie behind it.
constexpr std::uintptr_t forgotten = 1;

struct Entry {
  std::atomic<std::uintptr_t> address;
  Reported function;
};
std::array<Entry, places> table{};

std::atomic<std::uintptr_t>& address_at(std::size_t place) { return table[place % places].address; }

struct Call {
  Reported function;
  std::uintptr_t place, from;
};
struct Thread {
  bool prepared, busy;
  std::size_t calls;
  std::array<Call, most_calls> call;
};
thread_local Thread here;

std::size_t start_of(std::uintptr_t address) { return address / 16 % places; }

bool is_inlined(const Call& call) {
  return call.from - call.function.address >= call.function.size;
}

/// How many calls a new one at `place` leaves open.
std::size_t still_open(std::uintptr_t place, std::uintptr_t from) {
  std::size_t live = here.calls;
  while (live != 0 && here.call[live - 1].place < place &&
         place - here.call[live - 1].place < one_stack)
    --live;
  std::size_t first = live;
  while (first != 0 && here.call[first - 1].place == place) --first;
  if (first == live) return live;
  // Calls at one place are of one function with others inlined into it, each from code of its own;
  // or they were left, and this is another call from there.
  const Call& whole = here.call[first];
  if (!is_inlined(whole) && from - whole.function.address >= whole.function.size) return first;
  for (std::size_t i = first; i < live; ++i)
    if (here.call[i].from == from) return i;
  return live;
}

void give_up_from(std::size_t first) {
  while (here.calls > first) wirecost_probe_abandon(here.call[--here.calls].function.section);
}

}  // namespace

void report_calls_of(const Reported& function) {
  for (std::size_t i = 0; i < places; ++i) {
    Entry& entry = table[(start_of(function.address) + i) % places];
    const std::uintptr_t known = entry.address.load(std::memory_order_relaxed);
    if (known > forgotten && known != function.address) continue;
    entry.function = function;
    entry.address.store(function.address, std::memory_order_release);
    return;
  }
}

void forget_calls_of(std::uintptr_t address) {
  std::size_t at = start_of(address);
  for (std::size_t i = 0; address_at(at) != address; ++i, ++at)
    if (i == places || address_at(at) == 0) return;
  address_at(at) = forgotten;
  // Where nothing lies behind it, nobody need look further.
  if (address_at(at + 1) != 0) return;
  for (; address_at(at) == forgotten; at += places - 1) address_at(at) = 0;
}

const Reported* reported_at(std::uintptr_t address) {
  for (std::size_t i = 0; i < places; ++i) {
    const Entry& entry = table[(start_of(address) + i) % places];
    const std::uintptr_t known = entry.address.load(std::memory_order_acquire);
    if (known == address) return &entry.function;
    if (known == 0) return nullptr;
  }
  return nullptr;
}

void reported_begin(const Reported& function, std::uintptr_t place, std::uintptr_t from) {
  if (here.busy) return;
  here.busy = true;
  if (!here.prepared) with_all_registers_kept([] { wirecost_probe_prepare_thread(); });
  here.prepared = true;
  give_up_from(still_open(place, from));
  if (here.calls < most_calls) {
    here.call[here.calls++] = {function, place, from};
    wirecost_probe_begin(function.section, WIRECOST_PROBE_COUNT_LOOPS);
  }
  here.busy = false;
}

void reported_end(std::uint32_t section) {
  if (here.busy) return;
  here.busy = true;
  std::size_t at = here.calls;
  while (at != 0 && here.call[at - 1].function.section != section) --at;
  if (at != 0) {
    give_up_from(at);
    here.calls = at - 1;
    wirecost_probe_end(section, 0);
  }
  here.busy = false;
}

}  // namespace wirecost::function
