// SPDX-License-Identifier: Apache-2.0
// The functions that a program would have called, had no library of ours been preloaded.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstring>

#include "wirecost/probe/undisturbed.hpp"

namespace wirecost::hooks {

/// How often objects were loaded into this process.
inline unsigned long long loads() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

/// The path of the loaded object number `index`; false behind the last.
inline bool path_of_object(std::size_t index, char (&path)[PATH_MAX]) {
  struct Wanted {
    std::size_t left;
    char* path;
  } wanted{index, path};
  return dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void* to) {
               auto& one = *static_cast<Wanted*>(to);
               if (one.left-- != 0) return 0;
               if (std::strlen(object->dlpi_name) >= PATH_MAX)
                 *one.path = '\0';
               else
                 std::strcpy(one.path, object->dlpi_name);
               return 1;
             },
             &wanted) != 0;
}

/// `name` in whichever loaded object has it beside the one of address `own`. That object stays
/// loaded from then on, as whoever asks keeps the address.
inline void* in_any_object(const char* name, const void* own) {
  Dl_info here{};
  if (dladdr(own, &here) == 0) return nullptr;
  char path[PATH_MAX];
  for (std::size_t i = 0; path_of_object(i, path); ++i) {
    // The program itself has no path; what it has is in the global scope.
    if (path[0] == '\0') continue;
    void* const object = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    if (object == nullptr) continue;
    void* const found = dlsym(object, name);
    Dl_info where{};
    const bool good = found != nullptr && dladdr(found, &where) != 0 &&
                      where.dli_fbase != here.dli_fbase &&
                      dlopen(where.dli_fname, RTLD_NOLOAD | RTLD_LAZY) != nullptr;
    dlclose(object);
    if (good) return found;
  }
  return nullptr;
}

/// One function behind this library. RTLD_NEXT knows the global scope alone: what came in by
/// dlopen(RTLD_LOCAL), as all that an extension of Python is linked to, is looked for in every
/// object. Where nothing is found, it is looked for again after objects were loaded.
class Following {
 public:
  constexpr explicit Following(const char* name) : name_(name) {}

  /// Null where there is none.
  void* get() {
    void* const known = found_.load(std::memory_order_acquire);
    return known != nullptr ? known : find();
  }

 private:
  void* find() {
    const probe::Undisturbed undisturbed;
    const unsigned long long now = loads();
    if (now == searched_.load(std::memory_order_relaxed)) return nullptr;
    void* found = dlsym(RTLD_NEXT, name_);
    if (found == nullptr) found = in_any_object(name_, this);
    found_.store(found, std::memory_order_release);
    if (found == nullptr) searched_.store(now, std::memory_order_relaxed);
    return found;
  }

  const char* name_;
  std::atomic<void*> found_{nullptr};
  std::atomic<unsigned long long> searched_{0};
};

}  // namespace wirecost::hooks
