// SPDX-License-Identifier: Apache-2.0
#include "stacks.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace wirecost::probe {
namespace {

struct Source {
  std::string_view counter;
  Event event;
  const char* reports;  ///< of a library: the calling thread's
  bool by_one = true;
};
constexpr std::array sources{
    Source{"allocations", Event::allocation, "wirecost_allocation_reports"},
    Source{"allocated-bytes", Event::allocation, "wirecost_allocation_reports", false},
    Source{"frees", Event::free, "wirecost_allocation_reports"},
    Source{"lock-waits", Event::lock_wait, "wirecost_lock_wait_reports"},
    Source{"lock-wait-ns", Event::lock_wait, "wirecost_lock_wait_reports", false},
    Source{"minor-faults", Event::minor_fault, "wirecost_fault_reports"},
    Source{"major-faults", Event::major_fault, "wirecost_fault_reports"},
    Source{"system-calls", Event::system_call, "wirecost_system_call_reports"},
};

Reports* reports_of(const char* function) {
  const auto of_thread = reinterpret_cast<Reports* (*)()>(dlsym(RTLD_DEFAULT, function));
  return of_thread == nullptr ? nullptr : of_thread();
}

/// 0: of no real-time class; above all others is SCHED_DEADLINE. -1: there is no such thread.
int priority_of(int thread) {
  constexpr int highest = 100;
  const int policy = sched_getscheduler(thread);
  if (policy < 0) return policy;
  if ((policy & ~SCHED_RESET_ON_FORK) == SCHED_DEADLINE) return highest;
  sched_param parameters{};
  return sched_getparam(thread, &parameters) == 0 ? parameters.sched_priority : -1;
}

/// Of the calling thread, and of the one that holds the lock, as in the record.
std::uint16_t priorities(const Detail& wait) {
  constexpr int inherited = 1 << 14, base = 1 << 7;
  const int own = priority_of(0), of_holder = wait.number < 0 ? -1 : priority_of(wait.number);
  if (own < 0 || of_holder < 0) return 0;
  return static_cast<std::uint16_t>(1 + own * base + of_holder + (wait.inherits ? inherited : 0));
}

// Of an address in a log: the module's number above, the address in it below.
constexpr int module_shift = 48;
constexpr std::uint64_t unknown_module = 0xffff;
constexpr std::uint64_t inside_module = (std::uint64_t{1} << module_shift) - 1;

struct Search {
  std::uintptr_t address;
  std::uintptr_t base, begin, end;
  std::array<char, PATH_MAX> path;
};

int find_module(dl_phdr_info* object, std::size_t, void* to) {
  auto& search = *static_cast<Search*>(to);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.address - begin >= part.p_memsz) continue;
    search.base = object->dlpi_addr;
    search.begin = begin;
    search.end = begin + part.p_memsz;
    const std::string_view path = object->dlpi_name;
    search.path[path.copy(search.path.data(), search.path.size() - 1)] = '\0';
    return 1;
  }
  return 0;
}

}  // namespace

Stacks::Stacks(const std::vector<CounterEntry>& counters)
    : stacks_(std::make_unique<std::array<Stack, most_stacks>>()) {
  take_ = reinterpret_cast<TakeStack>(dlsym(RTLD_DEFAULT, "wirecost_take_stack"));
  if (take_ == nullptr) return;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (counters[i].status == CounterStatus::unavailable) continue;
    const auto source =
        std::ranges::find(sources, std::string_view(counters[i].name.data()), &Source::counter);
    Reports* const reports = source == sources.end() ? nullptr : reports_of(source->reports);
    if (reports == nullptr) continue;
    const auto bit = static_cast<std::uint8_t>(1U << i);
    counters_of_[static_cast<std::size_t>(source->event)] |= bit;
    if (source->by_one) counted_ |= bit;
    if (std::ranges::find(reports_, reports) != reports_.end()) continue;
    reports_.push_back(reports);
    // System calls are counted without stacks, too: whoever counts them arms them.
    if (reports->arm != nullptr && source->event != Event::system_call) to_arm_.push_back(reports);
  }
  // What the first one touches for the first time is no page fault of the program's then.
  scratch_.frame_count = take_(scratch_.frames.data(), most_frames, nullptr);
}

Stacks::~Stacks() {
  observe(nullptr);
  for (Reports* const one : to_arm_) one->close();
}

void Stacks::observe(Observer* observer) {
  for (Reports* const one : reports_) one->observer = observer;
}

void Stacks::arm(bool armed) {
  is_armed_ = armed;
  for (Reports* const one : to_arm_) one->arm(armed);
}

bool Stacks::same_kind(const Stack& one, const Stack& other) {
  return one.counters == other.counters && one.place.section == other.place.section &&
         one.detail == other.detail && std::ranges::equal(one.holders(), other.holders()) &&
         one.python.view() == other.python.view();
}

Stacks::Stack* Stacks::known(const Stack& seen, const void* top, const void* at) {
  for (std::size_t i = 0; i < count_; ++i) {
    Stack& one = (*stacks_)[i];
    if (!one.checkable || one.top != top || !same_kind(one, seen)) continue;
    // From the innermost on: what lies further out is there if all before was the same.
    const auto same = [&](const Frame& frame) {
      return frame.slot == nullptr ? frame.address == reinterpret_cast<std::uintptr_t>(at)
                                   : *frame.slot - 1 == frame.address;
    };
    if (std::all_of(one.frames.begin(), one.frames.begin() + one.frame_count, same)) return &one;
  }
  return nullptr;
}

Stacks::Stack* Stacks::alike(const Stack& seen) {
  for (std::size_t i = 0; i < count_; ++i) {
    Stack& one = (*stacks_)[i];
    if (same_kind(one, seen) && one.frame_count == seen.frame_count &&
        std::equal(one.frames.begin(), one.frames.begin() + one.frame_count, seen.frames.begin(),
                   [](const Frame& a, const Frame& b) { return a.address == b.address; }))
      return &one;
  }
  return nullptr;
}

void Stacks::walk(Stack& seen, const void* top, const void* at) {
  // What the unwinder touches first is no fault of the program's, nor worth a signal.
  const bool was_armed = is_armed_;
  if (was_armed) arm(false);
  const auto begin = seen.frames.begin();
  auto end = begin + static_cast<std::ptrdiff_t>(take_(seen.frames.data(), most_frames, at));
  if (was_armed) arm(true);
  // Those called from here are over when the next event is seen.
  const auto over = [&](const Frame& frame) { return frame.slot <= top; };
  if (at == nullptr) end = std::move(std::find_if_not(begin, end, over), end, begin);
  seen.frame_count = static_cast<std::size_t>(end - begin);
  seen.top = top;
  // An interrupted function is found by the instruction.
  const auto first = at == nullptr || begin == end ? begin : begin + 1;
  seen.checkable = begin != end && std::none_of(first, end, over);
}

void Stacks::add(Event event, const void* at, Detail detail, const Place& place, std::int64_t now) {
  Stack& seen = scratch_;
  last_ = nullptr;
  seen.counters = counters_of_[static_cast<std::size_t>(event)];
  if (seen.counters == 0) return;
  seen.place = place;
  seen.detail = event == Event::lock_wait
                    ? priorities(detail)
                    : static_cast<std::uint16_t>(std::clamp(detail.number, -1, 0xfffe) + 1);
  seen.holder_count = 0;
  if (detail.holder != nullptr)
    while (seen.holder_count < most_frames && detail.holder[seen.holder_count] != 0) {
      seen.holder[seen.holder_count] = detail.holder[seen.holder_count];
      ++seen.holder_count;
    }
  seen.python.size = 0;
  if (walks_ < most_walks) python_lines_.read(seen.python);
  const void* const top = __builtin_frame_address(0);
  Stack* found = known(seen, top, at);
  if (found == nullptr && walks_ < most_walks) {
    ++walks_;
    walk(seen, top, at);
    found = alike(seen);
    if (found == nullptr && count_ < most_stacks) {
      found = &(*stacks_)[count_];
      *found = seen;
      found->first_ns = now;
      found->count = 0;
      found->record = nullptr;
      ++count_;
    } else if (found != nullptr) {
      found->frames = seen.frames;
      found->top = seen.top;
      found->checkable = seen.checkable;
    }
  }
  if (found == nullptr) return;
  last_ = found;
  found->last_ns = now;
  ++found->count;
  if (found->record == nullptr) return;
  found->record->value = static_cast<std::int64_t>(found->count);
  found->record->end_ns = now;
}

void Stacks::write(LogFile& log) {
  for (; written_ < count_; ++written_) write(log, (*stacks_)[written_], written_);
}

void Stacks::write_stopped(LogFile& log, std::string_view line) {
  write(log);
  const std::size_t number =
      last_ == nullptr ? most_stacks : static_cast<std::size_t>(last_ - stacks_->data());
  write_text(log, StackText::stopped, static_cast<std::uint32_t>(number), line);
}

void Stacks::write(LogFile& log, Stack& stack, std::uint64_t number) {
  if (stack.python.size != 0 &&
      !write_text(log, StackText::python, static_cast<std::uint32_t>(number), stack.python.view()))
    return;
  std::array<std::uint64_t, most_frames> addresses{};
  for (std::size_t i = 0; i < stack.frame_count; ++i)
    addresses[i] = in_module(log, stack.frames[i].address);
  std::array<std::uint64_t, most_frames> holder{};
  for (std::size_t i = 0; i < stack.holder_count; ++i) holder[i] = in_module(log, stack.holder[i]);
  std::uint16_t part = 0;
  const auto write_part = [&](const std::uint64_t* begin, std::size_t count, bool of_holder) {
    Record* record = log.next();
    if (record == nullptr) return;
    record->id = stack.place.section;
    record->parent = stack.place.parent;
    record->kind = RecordKind::stack;
    record->part = part;
    record->depth = stack.place.depth;
    record->counted = stack.counters;
    record->scaled = of_holder ? 1 : 0;
    record->detail = stack.detail;
    record->loop = stack.place.loop;
    record->value = static_cast<std::int64_t>(stack.count);
    record->begin_ns = stack.first_ns;
    record->end_ns = stack.last_ns;
    record->message = number;
    std::copy_n(begin, count, record->counters.begin());
    if (part++ == 0) stack.record = record;
    log.publish();
  };
  for (std::size_t at = 0; at < stack.frame_count; at += max_counters)
    write_part(addresses.data() + at, std::min(max_counters, stack.frame_count - at), false);
  for (std::size_t at = 0; at < stack.holder_count; at += max_counters)
    write_part(holder.data() + at, std::min(max_counters, stack.holder_count - at), true);
}

std::uint64_t Stacks::in_module(LogFile& log, std::uintptr_t address) {
  const auto with = [&](std::uint64_t number, std::uintptr_t base) {
    return number << module_shift | ((address - base) & inside_module);
  };
  for (std::size_t i = 0; i < module_count_; ++i)
    if (address - modules_[i].begin < modules_[i].end - modules_[i].begin)
      return with(i, modules_[i].base);
  Search search{};
  search.address = address;
  if (module_count_ == most_modules || dl_iterate_phdr(find_module, &search) == 0)
    return with(unknown_module, 0);
  std::string_view path = search.path.data();
  if (path.empty()) {  // the program itself
    const ssize_t size = readlink("/proc/self/exe", search.path.data(), search.path.size());
    path = {search.path.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }
  // Opened by a path that only the process's own folder completes; the kernel's object has no "/".
  std::array<char, PATH_MAX> whole;
  const bool is_relative = path.find('/') != path.npos && path.front() != '/';
  if (is_relative && realpath(search.path.data(), whole.data()) != nullptr) path = whole.data();
  if (!write_text(log, StackText::module, static_cast<std::uint32_t>(module_count_), path))
    return with(unknown_module, 0);
  modules_[module_count_] = {search.base, search.begin, search.end};
  return with(module_count_++, search.base);
}

bool Stacks::write_text(LogFile& log, StackText kind, std::uint32_t number, std::string_view text) {
  constexpr std::size_t chunk = sizeof(Record::counters);
  const std::size_t whole = text.size();
  for (std::uint16_t part = 0; part == 0 || !text.empty(); ++part) {
    Record* record = log.next();
    if (record == nullptr) return false;
    record->id = number;
    record->parent = static_cast<std::uint32_t>(kind);
    record->kind = RecordKind::stack_text;
    record->part = part;
    record->value = static_cast<std::int64_t>(whole);
    text.copy(reinterpret_cast<char*>(record->counters.data()), chunk);
    text.remove_prefix(std::min(chunk, text.size()));
    log.publish();
  }
  return true;
}

}  // namespace wirecost::probe
