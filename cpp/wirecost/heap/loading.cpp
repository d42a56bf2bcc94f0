// SPDX-License-Identifier: Apache-2.0
// Libraries that are loaded later use this allocator, too. RTLD_DEEPBIND would give them glibc's
// `free`, while `strdup` and the rest of libc give them blocks of ours.
#include <dlfcn.h>

#include <atomic>

#include "wirecost/heap/writer.hpp"

namespace {

using Open = void* (*)(const char*, int);
using OpenIn = void* (*)(Lmid_t, const char*, int);

/// libc's own, looked up once.
template <typename Function>
Function next(std::atomic<Function>& known, const char* name) {
  Function found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

int without_deep_binding(const char* file, int mode) {
  static std::atomic<bool> said{false};
  if ((mode & RTLD_DEEPBIND) != 0 && !said.exchange(true)) {
    wirecost::heap::Writer(2)
        .put("wirecost heap: ")
        .put(file == nullptr ? "the program" : file)
        .put(" is opened without RTLD_DEEPBIND, which goes with no other allocator\n");
  }
  return mode & ~RTLD_DEEPBIND;
}

}  // namespace

// The last calls are jumps: the loader finds the caller, whose paths it searches, by the return
// address.
#pragma GCC visibility push(default)
extern "C" {

void* dlopen(const char* file, int mode) {
  static std::atomic<Open> known{nullptr};
  const Open open = next(known, "dlopen");
  return open(file, without_deep_binding(file, mode));
}

void* dlmopen(Lmid_t space, const char* file, int mode) {
  static std::atomic<OpenIn> known{nullptr};
  const OpenIn open = next(known, "dlmopen");
  return open(space, file, space == LM_ID_BASE ? without_deep_binding(file, mode) : mode);
}

}  // extern "C"
#pragma GCC visibility pop
