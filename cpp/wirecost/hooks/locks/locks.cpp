// SPDX-License-Identifier: Apache-2.0
// Takes over pthread_mutex_lock: a lock that is free is taken at once; a wait is counted, timed
// and, where the probe library is loaded, recorded with the thread and the function that held the
// lock, as soon as the waiting thread holds no lock any more.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "wirecost/hooks/demangled.hpp"
#include "wirecost/hooks/following.hpp"
#include "wirecost/hooks/locks/takings.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/clock.hpp"
#include "wirecost/probe/reports.hpp"
#include "wirecost/probe/undisturbed.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using wirecost::hooks::Taking;

constexpr std::size_t holders = 4096;
constexpr std::size_t names = 64;
constexpr int inherits_priority = 32;  // in a mutex's kind
/// Waits of one thread from when it holds a lock until it holds none.
constexpr std::size_t most_waits = 64;

/// What is known while the thread holds the program's locks. Only numbers: whatever else locks in
/// turn, as the loader and allocators do, and may wait for a thread that waits for this one.
struct Wait {
  void *waiting, *holding;
  std::int64_t begin_ns, end_ns;
  int owner;
};

struct Thread {
  std::size_t held;  ///< locks
  std::size_t waits;
  int thread;       ///< 0: not known yet
  bool recording;   ///< what recording locks is not recorded
  bool looking_up;  ///< what the loader locks meanwhile is not looked at
  std::array<Wait, most_waits> wait;
};
thread_local constinit Thread here{};
thread_local std::uint64_t counts[2]{};
thread_local wirecost::probe::Reports reports{};

/// A function of the C library. Looked up before the program runs, or by whoever locks before that:
/// without allocating, since an allocator behind may lock in turn.
template <class Function>
class Behind {
 public:
  constexpr explicit Behind(const char* name) : name_(name) {}
  /// Null where there is none, as for some before glibc 2.34 in a program without threads.
  Function get() {
    Function found = found_.load(std::memory_order_acquire);
    if (found != nullptr || here.looking_up || absent_.load(std::memory_order_relaxed))
      return found;
    here.looking_up = true;
    found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name_));
    here.looking_up = false;
    found_.store(found, std::memory_order_release);
    if (found == nullptr) absent_.store(true, std::memory_order_relaxed);
    return found;
  }

 private:
  const char* name_;
  std::atomic<Function> found_{nullptr};
  std::atomic<bool> absent_{false};
};

using Lock = int (*)(pthread_mutex_t*);
constinit Behind<Lock> next_lock("pthread_mutex_lock");
constinit Behind<Lock> next_try_lock("pthread_mutex_trylock");

/// Null where the program has no probe library.
constinit wirecost::hooks::Following probe_section("wirecost_probe_section");
constinit wirecost::hooks::Following probe_span("wirecost_probe_span");
/// Null where allocations are not counted.
constinit wirecost::hooks::Following allocations("wirecost_allocation_reports");

/// Where each lock was taken last. Locks that share a place overwrite each other: a wait may then
/// be recorded with the holder of another lock, never with a wrong time or thread.
std::array<std::atomic<void*>, holders> taken_at;

constinit wirecost::hooks::Takings takings;

std::atomic<void*>& place_of(const pthread_mutex_t* mutex) {
  const auto address = reinterpret_cast<std::uintptr_t>(mutex);
  return taken_at[((address >> 4) ^ (address >> 16)) % holders];
}

std::string function_at(void* address) {
  Dl_info found{};
  if (address == nullptr) return "unknown";
  if (dladdr(address, &found) == 0) return "unknown";
  if (found.dli_sname != nullptr) return wirecost::hooks::demangled_symbol(found.dli_sname);
  std::string module = found.dli_fname == nullptr ? "" : found.dli_fname;
  std::array<char, 24> offset{};
  std::snprintf(
      offset.data(), offset.size(), "+0x%zx",
      static_cast<std::size_t>(static_cast<char*>(address) - static_cast<char*>(found.dli_fbase)));
  return module.substr(module.rfind('/') + 1) + offset.data();
}

struct Named {
  void *waiting, *holding;
  std::uint32_t section;
};

std::uint32_t section_of(decltype(&wirecost_probe_section) section, void* waiting, void* holding) {
  thread_local std::array<Named, names> known{};
  thread_local unsigned long long known_at = 0;
  // At the address of what was unloaded may be something else now.
  if (const unsigned long long now = wirecost::hooks::loads(); now != known_at) {
    known.fill({});
    known_at = now;
  }
  const auto hash =
      reinterpret_cast<std::uintptr_t>(waiting) * 31 + reinterpret_cast<std::uintptr_t>(holding);
  Named& one = known[(hash >> 2) % names];
  if (one.waiting != waiting || one.holding != holding) {
    const std::string name = "lock in " + function_at(waiting) + " held by " + function_at(holding);
    one = {waiting, holding, section(name.c_str())};
  }
  return one.section;
}

int wait_for(pthread_mutex_t* mutex, void* waiting) {
  const int owner = mutex->__data.__owner;
  void* const holding = place_of(mutex).load(std::memory_order_relaxed);
  ++counts[0];
  if (reports.observer != nullptr && !here.recording) {
    Taking::Addresses addresses{reinterpret_cast<std::uintptr_t>(holding)};
    // A return address may be behind the function's last instruction, which is the call.
    if (holding != nullptr) --addresses[0];
    if (const Taking* const taking = takings.keep(mutex))
      if (Taking::Addresses whole; taking->read(owner, whole)) addresses = whole;
    const bool inherits = (mutex->__data.__kind & inherits_priority) != 0;
    reports.observer->see(*reports.observer, wirecost::probe::Event::lock_wait, nullptr,
                          {owner == 0 ? -1 : owner, inherits, addresses.data()});
  }
  const std::int64_t begin = wirecost::monotonic_ns();
  const int result = next_lock.get()(mutex);
  const std::int64_t end = wirecost::monotonic_ns();
  counts[1] += static_cast<std::uint64_t>(end - begin);
  if (!here.recording && here.waits < most_waits)
    here.wait[here.waits++] = {waiting, holding, begin, end, owner};
  return result;
}

/// When the thread holds no lock.
void record_waits() {
  const wirecost::probe::Undisturbed undisturbed;
  using Reported = wirecost::probe::Reports* (*)();
  const auto allocated = reinterpret_cast<Reported>(allocations.get());
  bool unused = false;
  bool& paused = allocated == nullptr ? unused : allocated()->paused;
  paused = true;
  here.recording = true;
  const auto section = reinterpret_cast<decltype(&wirecost_probe_section)>(probe_section.get());
  const auto span = reinterpret_cast<decltype(&wirecost_probe_span)>(probe_span.get());
  if (section != nullptr && span != nullptr) try {
      for (std::size_t i = 0; i < here.waits; ++i) {
        const Wait& one = here.wait[i];
        span(section_of(section, one.waiting, one.holding), one.begin_ns, one.end_ns,
             WIRECOST_PROBE_COUNT_LOOPS, one.owner, 0);
      }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for a name
    }
  here.waits = 0;
  here.recording = false;
  paused = false;
}

/// Also a lock whose owner died is taken.
int taken(int result) {
  if (result == 0 || result == EOWNERDEAD) ++here.held;
  return result;
}

int given_back(int result) {
  if (result != 0) return result;
  if (here.held != 0) --here.held;
  if (here.held == 0 && here.waits != 0 && !here.recording) record_waits();
  return result;
}

[[gnu::constructor]] void look_up() {
  next_lock.get();
  next_try_lock.get();
  probe_section.get();
  probe_span.get();
  allocations.get();
  takings.look_up();
  // Waits of the thread that forked are in the parent's log.
  pthread_atfork(nullptr, nullptr, [] { here.waits = 0, here.thread = 0; });
}

}  // namespace

/// The calling thread's waits for mutexes and their nanoseconds.
EXPORTED const std::uint64_t* wirecost_lock_counts() { return counts; }

EXPORTED wirecost::probe::Reports* wirecost_lock_wait_reports() { return &reports; }

EXPORTED int pthread_mutex_lock(pthread_mutex_t* mutex) {
  void* const caller = __builtin_return_address(0);
  const void* const frame = __builtin_frame_address(0);
  // Not while the lock is held, and not in what is judged.
  Taking* taking = reports.observer == nullptr ? takings.of(mutex) : nullptr;
  if (taking != nullptr && (taking->is_of(here.thread, frame, caller) || !taking->may_walk()))
    taking = nullptr;
  Taking::Addresses addresses;
  if (taking != nullptr) addresses = takings.walk();
  const Lock try_lock = next_try_lock.get();
  int result = try_lock == nullptr ? EBUSY : try_lock(mutex);
  if (result == EBUSY)
    result = try_lock == nullptr ? next_lock.get()(mutex) : wait_for(mutex, caller);
  if (result == 0) {
    place_of(mutex).store(caller, std::memory_order_relaxed);
    if (taking != nullptr) {
      here.thread = mutex->__data.__owner;
      taking->write(here.thread, frame, caller, addresses);
    }
  }
  return taken(result);
}

EXPORTED int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const Lock try_lock = next_try_lock.get();
  if (try_lock == nullptr) return EBUSY;
  const int result = try_lock(mutex);
  if (result == 0) place_of(mutex).store(__builtin_return_address(0), std::memory_order_relaxed);
  return taken(result);
}

// Only that the thread holds a lock, or gives one back: waits for these are not measured.
#define WIRECOST_TAKES(name, parameters, ...)                           \
  EXPORTED int name parameters {                                        \
    static constinit Behind<int(*) parameters> next(#name);             \
    const auto function = next.get();                                   \
    return function == nullptr ? ENOSYS : taken(function(__VA_ARGS__)); \
  }
#define WIRECOST_GIVES_BACK(name, parameters, ...)                           \
  EXPORTED int name parameters {                                             \
    static constinit Behind<int(*) parameters> next(#name);                  \
    const auto function = next.get();                                        \
    return function == nullptr ? ENOSYS : given_back(function(__VA_ARGS__)); \
  }

WIRECOST_TAKES(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const timespec* until), mutex,
               until)
WIRECOST_TAKES(pthread_mutex_clocklock,
               (pthread_mutex_t * mutex, clockid_t clock, const timespec* until), mutex, clock,
               until)
WIRECOST_GIVES_BACK(pthread_mutex_unlock, (pthread_mutex_t * mutex), mutex)

WIRECOST_TAKES(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), lock)
WIRECOST_TAKES(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), lock)
WIRECOST_TAKES(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), lock)
WIRECOST_TAKES(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), lock)
WIRECOST_TAKES(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec* until), lock,
               until)
WIRECOST_TAKES(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec* until), lock,
               until)
WIRECOST_TAKES(pthread_rwlock_clockrdlock,
               (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), lock, clock,
               until)
WIRECOST_TAKES(pthread_rwlock_clockwrlock,
               (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), lock, clock,
               until)
WIRECOST_GIVES_BACK(pthread_rwlock_unlock, (pthread_rwlock_t * lock), lock)
