// SPDX-License-Identifier: Apache-2.0
#include <unwind.h>

#include "wirecost/hooks/stacks/export.hpp"
#include "wirecost/probe/reports.hpp"

namespace {

using wirecost::probe::Frame;

struct Walk {
  Frame* frames;
  std::size_t size, count;
  std::uintptr_t at;  ///< where it begins; 0: it has begun
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* to) {
  auto& walk = *static_cast<Walk*>(to);
  int interrupted = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (walk.at != 0 && address != walk.at) return _URC_NO_REASON;
  walk.at = 0;
  if (walk.count == walk.size || address == 0) return _URC_END_OF_STACK;
  const std::uintptr_t* slot = nullptr;
#ifdef __x86_64__
  // A call pushes the return address just below where the caller's stack ends.
  slot = reinterpret_cast<const std::uintptr_t*>(_Unwind_GetCFA(context)) - 1;
  if (interrupted != 0 || *slot != address) slot = nullptr;
#endif
  // A return address may be behind the function's last instruction, which is the call.
  walk.frames[walk.count++] = {address - (interrupted != 0 ? 0 : 1), slot};
  return _URC_NO_REASON;
}

}  // namespace

/// The calling thread's stack: `TakeStack`.
EXPORTED std::size_t wirecost_take_stack(Frame* frames, std::size_t size, const void* at) {
  Walk walk{frames, size, 0, reinterpret_cast<std::uintptr_t>(at)};
  _Unwind_Backtrace(step, &walk);
  return walk.count;
}
