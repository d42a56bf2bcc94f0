// SPDX-License-Identifier: Apache-2.0
#include "event_names.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>

namespace wirecost::probe {
namespace {

struct Generic {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::uint64_t last_level(std::uint64_t operation) {
  return PERF_COUNT_HW_CACHE_LL | (operation << 8) |
         (std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16);
}

constexpr std::array generics{
    Generic{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    Generic{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    Generic{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    Generic{"LLC-load-misses", PERF_TYPE_HW_CACHE, last_level(PERF_COUNT_HW_CACHE_OP_READ)},
    Generic{"LLC-store-misses", PERF_TYPE_HW_CACHE, last_level(PERF_COUNT_HW_CACHE_OP_WRITE)},
    Generic{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    Generic{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    Generic{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    Generic{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

// What libpfm4's perfmon/pfmlib_perf_event.h declares; loaded at run time, so that a program with
// probes needs it neither to be built nor to run.
struct EncodeArguments {
  perf_event_attr* attributes;
  char** full_name;
  std::size_t size;
  int index;
  int cpu;
  int flags;
};
using Initialize = int (*)();
using Encode = int (*)(const char*, int, int, void*);
constexpr int pfm_success = 0;
constexpr int pfm_os_perf_event = 1;
constexpr int user_and_kernel = 0x8 | 0x1;

Encode load_libpfm() {
  void* library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, "pfm_initialize"));
  const auto found = reinterpret_cast<Encode>(dlsym(library, "pfm_get_os_event_encoding"));
  return initialize != nullptr && found != nullptr && initialize() == pfm_success ? found : nullptr;
}

enum class Loading : std::uint8_t { not_yet, now, done };
constinit std::atomic<Loading> loading{Loading::not_yet};
constinit std::atomic<Encode> encode{nullptr};

/// Loading takes milliseconds. A static variable would leave a child that was forked meanwhile
/// waiting for a thread that it does not have.
Encode libpfm() {
  Loading before = Loading::not_yet;
  if (loading.compare_exchange_strong(before, Loading::now)) {
    encode = load_libpfm();
    loading = Loading::done;
    loading.notify_all();
  }
  loading.wait(Loading::now);
  return encode;
}

/// raw_syscalls:sys_enter, wherever the kernel shows its tracepoints to this user.
bool encode_system_calls(perf_event_attr& attributes) {
  for (const char* root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::ifstream file(std::string(root) + "/events/raw_syscalls/sys_enter/id");
    if (std::uint64_t id = 0; file >> id) {
      attributes.type = PERF_TYPE_TRACEPOINT;
      attributes.config = id;
      return true;
    }
  }
  return false;
}

}  // namespace

void give_up_libpfm_after_fork() {
  if (loading == Loading::now) loading = Loading::done;
}

bool encode_event(const std::string& name, perf_event_attr& attributes) {
  for (const Generic& generic : generics)
    if (name == generic.name) {
      attributes.type = generic.type;
      attributes.config = generic.config;
      return true;
    }
  if (name == "system-calls") return encode_system_calls(attributes);
  const Encode encode = libpfm();
  if (encode == nullptr) return false;
  EncodeArguments arguments{&attributes, nullptr, sizeof(EncodeArguments), 0, 0, 0};
  return encode(name.c_str(), user_and_kernel, pfm_os_perf_event, &arguments) == pfm_success;
}

}  // namespace wirecost::probe
