// SPDX-License-Identifier: Apache-2.0
#include "hook_counts.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>

namespace wirecost::probe {
namespace {

struct Source {
  const char* name;
  const char* function;  ///< of a library, gives the calling thread's counts
  std::size_t place;
};

constexpr std::array sources{
    Source{"allocations", "wirecost_allocation_counts", 0},
    Source{"allocated-bytes", "wirecost_allocation_counts", 1},
    Source{"frees", "wirecost_allocation_counts", 2},
    Source{"lock-waits", "wirecost_lock_counts", 0},
    Source{"lock-wait-ns", "wirecost_lock_counts", 1},
    Source{"system-calls", "wirecost_system_call_counts", 0},
};

const Source* source_of(std::string_view name) {
  return std::ranges::find_if(sources, [&](const Source& one) { return name == one.name; });
}

}  // namespace

bool HookCounts::knows(std::string_view name) { return source_of(name) != sources.end(); }

bool HookCounts::add(std::size_t index, const std::string& name) {
  const auto* source = source_of(name);
  if (source == sources.end()) return false;
  using Counts = const std::uint64_t* (*)();
  const auto counts = reinterpret_cast<Counts>(dlsym(RTLD_DEFAULT, source->function));
  const std::uint64_t* const values = counts == nullptr ? nullptr : counts();
  if (values == nullptr) return false;
  values_[index] = values + source->place;
  opened_ |= static_cast<std::uint8_t>(1U << index);
  return true;
}

void HookCounts::read(Snapshot& snapshot) const {
  for (unsigned left = opened_; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    // The thread itself writes them, in functions that the compiler cannot see from here.
    snapshot.set(i, *static_cast<const volatile std::uint64_t*>(values_[i]), 0, 0);
  }
  snapshot.counting |= opened_;
}

}  // namespace wirecost::probe
