// SPDX-License-Identifier: Apache-2.0
// What code calls that was built with -finstrument-functions.
#include "reported_calls.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): as compilers name them
extern "C" {

using namespace wirecost::function;

[[gnu::visibility("default")]] void __cyg_profile_func_enter(void* function, void*) {
  const Reported* known = reported_at(reinterpret_cast<std::uintptr_t>(function));
  if (known == nullptr) return;
  reported_begin(*known, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                 reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

[[gnu::visibility("default")]] void __cyg_profile_func_exit(void* function, void*) {
  const Reported* known = reported_at(reinterpret_cast<std::uintptr_t>(function));
  if (known != nullptr) reported_end(known->section);
}
}
// NOLINTEND(bugprone-reserved-identifier)
