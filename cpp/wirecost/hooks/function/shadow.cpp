// SPDX-License-Identifier: Apache-2.0
#include "shadow.hpp"

#include <pthread.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <bit>

#include "all_registers.hpp"
#include "wirecost/hooks/own_work.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/undisturbed.hpp"

extern "C" {
extern const std::byte wirecost_function_stubs[];
extern std::byte wirecost_function_slots[];
}

namespace wirecost::function {
namespace {

constexpr std::size_t most_functions = 256;
constexpr std::size_t most_sections = 128;

/// `sections`: of the first objects and of all others, where each has its own; else the first.
struct Function {
  bool by_object;
  std::array<std::atomic<std::uintptr_t>, most_objects> objects;
  std::array<std::uint32_t, most_objects + 1> sections;
};
std::array<Function, most_functions> functions{};
std::array<std::atomic<std::uint64_t>, most_threads / 64> taken_blocks{};
std::atomic<std::uint64_t> on_foreign_stacks{0};
std::atomic<std::uint64_t> threads_without_block{0};

struct Call {
  std::uintptr_t place;  ///< of its return address
  std::size_t sections;  ///< its own and those of functions that it ended in
};

enum class State : std::uint8_t { unprepared, ready, without_log, ended };

/// Trivial: functions may be entered before and after the thread's destructors.
struct Thread {
  State state;
  bool has_block;
  bool busy;  ///< in here: a signal handler's calls are not recorded
  std::size_t block;
  std::uintptr_t stack_begin, stack_end;
  std::size_t calls, sections;
  std::array<Call, most_calls> call;
  std::array<std::uint32_t, most_sections> section;
};
thread_local Thread here;

struct AtThreadEnd {
  ~AtThreadEnd() {
    here.state = State::ended;
    if (!here.has_block || here.calls != 0) return;
    here.has_block = false;
    taken_blocks[here.block / 64].fetch_and(~(std::uint64_t{1} << here.block % 64));
  }
};

std::uintptr_t& slot(std::size_t call) {
  std::byte* const at =
      wirecost_function_slots + here.block * block_bytes + (call + 1) * entry_bytes;
  return *reinterpret_cast<std::uintptr_t*>(at);
}

std::uintptr_t stub(std::size_t call) {
  return reinterpret_cast<std::uintptr_t>(wirecost_function_stubs) + here.block * block_bytes +
         (call + 1) * entry_bytes;
}

bool take_block() {
  for (std::size_t word = 0; word < taken_blocks.size(); ++word) {
    std::uint64_t taken = taken_blocks[word].load();
    while (~taken != 0) {
      const auto bit = static_cast<std::size_t>(std::countr_one(taken));
      if (!taken_blocks[word].compare_exchange_weak(taken, taken | std::uint64_t{1} << bit))
        continue;
      here.block = word * 64 + bit;
      return here.has_block = true;
    }
  }
  threads_without_block.fetch_add(1);
  return false;
}

bool find_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* begin = nullptr;
  std::size_t bytes = 0;
  const bool found = pthread_attr_getstack(&attributes, &begin, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  here.stack_begin = reinterpret_cast<std::uintptr_t>(begin);
  here.stack_end = here.stack_begin + bytes;
  return found;
}

void prepare() {
  const hooks::OwnWork own_work;
  const probe::Undisturbed undisturbed;
  here.state = State::without_log;
  if (!here.has_block && !(find_stack() && take_block())) return;
  thread_local const AtThreadEnd at_thread_end;
  static_cast<void>(at_thread_end);
  wirecost_probe_prepare_thread();
  here.state = State::ready;
}

void begin(std::uint32_t section) {
  if (here.sections == most_sections) return;
  here.section[here.sections++] = section;
  ++here.call[here.calls - 1].sections;
  wirecost_probe_begin(section, WIRECOST_PROBE_COUNT_LOOPS);
}

/// Calls that were left without a return are given up: the stack has grown over them.
void give_up_calls_from(std::size_t first) {
  while (here.calls > first) {
    --here.calls;
    for (std::size_t i = 0; i < here.call[here.calls].sections; ++i)
      wirecost_probe_abandon(here.section[--here.sections]);
  }
}

void enter(std::uint32_t section, std::uintptr_t* return_address) {
  const auto place = reinterpret_cast<std::uintptr_t>(return_address);
  if (place < here.stack_begin || place >= here.stack_end) {
    on_foreign_stacks.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  std::size_t live = here.calls;
  while (live != 0 && here.call[live - 1].place < place) --live;
  if (live != 0 && here.call[live - 1].place == place) {
    if (*return_address == stub(live - 1)) {
      give_up_calls_from(live);
      // Reached by a jump from a recorded function, whose return will be that of this one. One that
      // ends in itself is a loop.
      if (here.section[here.sections - 1] != section) begin(section);
      return;
    }
    --live;
  }
  give_up_calls_from(live);
  if (here.calls == most_calls) {
    // Deeper than the log holds: it counts what it drops.
    wirecost_probe_begin(section, WIRECOST_PROBE_COUNT_LOOPS);
    wirecost_probe_end(section, 0);
    return;
  }
  slot(here.calls) = *return_address;
  *return_address = stub(here.calls);
  here.call[here.calls++] = {.place = place, .sections = 0};
  begin(section);
}

std::uint32_t section_of(Function& function, std::uintptr_t object) {
  if (!function.by_object) return function.sections[0];
  std::size_t at = 0;
  for (; at < most_objects; ++at) {
    std::uintptr_t known = function.objects[at].load(std::memory_order_relaxed);
    if (known == 0 && function.objects[at].compare_exchange_strong(known, object)) break;
    if (known == object) break;
  }
  return function.sections[at];
}

std::uintptr_t leave(std::size_t call) {
  give_up_calls_from(call + 1);
  for (std::size_t i = here.call[call].sections; i != 0; --i)
    wirecost_probe_end(here.section[--here.sections], 0);
  here.calls = call;
  return slot(call);
}

}  // namespace

void set_section(std::uint32_t function, std::uint32_t section) {
  functions[function].by_object = false;
  functions[function].sections[0] = section;
}

void set_sections_of_objects(std::uint32_t function,
                             const std::array<std::uint32_t, most_objects + 1>& sections) {
  Function& one = functions[function];
  for (auto& object : one.objects) object.store(0, std::memory_order_relaxed);
  one.sections = sections;
  one.by_object = true;
}

NotRecorded not_recorded() { return {on_foreign_stacks.load(), threads_without_block.load()}; }

void after_fork_in_child() {
  on_foreign_stacks = 0;
  threads_without_block = 0;
  if (here.state == State::ready) here.state = State::unprepared;
}

}  // namespace wirecost::function

extern "C" {

using namespace wirecost::function;

[[gnu::visibility("hidden")]] void wirecost_function_enter(std::uint64_t function,
                                                           std::uintptr_t* return_address,
                                                           std::uintptr_t first_argument) {
  if (here.busy) return;
  here.busy = true;
  if (here.state == State::unprepared) with_all_registers_kept(prepare);
  if (here.state == State::ready)
    enter(section_of(functions[function], first_argument), return_address);
  here.busy = false;
}

[[gnu::visibility("hidden")]] std::uintptr_t wirecost_function_leave(std::uint64_t number) {
  here.busy = true;
  if (here.state == State::unprepared) with_all_registers_kept(prepare);
  const std::uintptr_t back = leave(number % entries - 1);
  here.busy = false;
  return back;
}

/// An exception, or a thread's end, passes a recorded function.
[[gnu::visibility("hidden")]] _Unwind_Reason_Code wirecost_function_personality(
    int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
    _Unwind_Context* context) {
  if ((actions & _UA_CLEANUP_PHASE) != 0) {
    const auto offset =
        _Unwind_GetIP(context) - reinterpret_cast<std::uintptr_t>(wirecost_function_stubs);
    wirecost_function_leave(offset / entry_bytes);
  }
  return _URC_CONTINUE_UNWIND;
}
}
