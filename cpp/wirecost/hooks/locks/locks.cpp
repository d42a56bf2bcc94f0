// SPDX-License-Identifier: Apache-2.0
// Takes over pthread_mutex_lock: a lock that is free is taken at once; a wait is counted, timed
// and, where the probe library is loaded, recorded with the thread and the function that held the
// lock.
#include <cxxabi.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "wirecost/probe.h"
#include "wirecost/probe/clock.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::size_t holders = 4096;
constexpr std::size_t names = 64;

thread_local std::uint64_t counts[2]{};
thread_local bool recording = false;

using Lock = int (*)(pthread_mutex_t*);

struct Locks {
  Lock lock, try_lock;
};

/// Looked up without allocating: an allocator behind may lock in turn.
const Locks& next() {
  static Locks found{};
  if (__atomic_load_n(&found.try_lock, __ATOMIC_ACQUIRE) == nullptr) {
    __atomic_store_n(&found.lock, reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock")),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&found.try_lock,
                     reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_trylock")),
                     __ATOMIC_RELEASE);
  }
  return found;
}

/// Null where the program has no probe library.
struct Probe {
  decltype(&wirecost_probe_section) section;
  decltype(&wirecost_probe_span) span;
};

const Probe& probe() {
  static const Probe found{
      reinterpret_cast<decltype(&wirecost_probe_section)>(
          dlsym(RTLD_DEFAULT, "wirecost_probe_section")),
      reinterpret_cast<decltype(&wirecost_probe_span)>(dlsym(RTLD_DEFAULT, "wirecost_probe_span"))};
  return found;
}

/// Where each lock was taken last. Locks that share a place overwrite each other: a wait may then
/// be recorded with the holder of another lock, never with a wrong time or thread.
std::array<std::atomic<void*>, holders> taken_at;

std::atomic<void*>& place_of(const pthread_mutex_t* mutex) {
  const auto address = reinterpret_cast<std::uintptr_t>(mutex);
  return taken_at[((address >> 4) ^ (address >> 16)) % holders];
}

std::string function_at(void* address) {
  Dl_info found{};
  if (address == nullptr) return "unknown";
  if (dladdr(address, &found) == 0) return "unknown";
  if (found.dli_sname != nullptr) {
    int status = 0;
    char* readable = abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, &status);
    std::string name = status == 0 ? readable : found.dli_sname;
    std::free(readable);
    return name;
  }
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

std::uint32_t section_of(void* waiting, void* holding) {
  thread_local std::array<Named, names> known{};
  const auto hash =
      reinterpret_cast<std::uintptr_t>(waiting) * 31 + reinterpret_cast<std::uintptr_t>(holding);
  Named& one = known[(hash >> 2) % names];
  if (one.waiting != waiting || one.holding != holding) {
    const std::string name = "lock in " + function_at(waiting) + " held by " + function_at(holding);
    one = {waiting, holding, probe().section(name.c_str())};
  }
  return one.section;
}

int wait_for(pthread_mutex_t* mutex, void* waiting) {
  const int owner = mutex->__data.__owner;
  void* const holding = place_of(mutex).load(std::memory_order_relaxed);
  const std::int64_t begin = wirecost::monotonic_ns();
  const int result = next().lock(mutex);
  const std::int64_t end = wirecost::monotonic_ns();
  ++counts[0];
  counts[1] += static_cast<std::uint64_t>(end - begin);
  if (!recording) {
    recording = true;  // what recording locks is not recorded
    if (probe().span != nullptr && probe().section != nullptr)
      probe().span(section_of(waiting, holding), begin, end, WIRECOST_PROBE_COUNT_LOOPS, owner, 0);
    recording = false;
  }
  return result;
}

}  // namespace

/// The calling thread's waits for mutexes and their nanoseconds.
EXPORTED const std::uint64_t* wirecost_lock_counts() { return counts; }

EXPORTED int pthread_mutex_lock(pthread_mutex_t* mutex) {
  void* const caller = __builtin_return_address(0);
  int result = next().try_lock(mutex);
  if (result == EBUSY) result = wait_for(mutex, caller);
  if (result == 0) place_of(mutex).store(caller, std::memory_order_relaxed);
  return result;
}
