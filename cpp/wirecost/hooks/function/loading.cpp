// SPDX-License-Identifier: Apache-2.0
// The dynamic loader calls a function of no effect, for debuggers, when objects came or went.
#include <link.h>

#include <array>

#include "all_registers.hpp"
#include "code.hpp"
#include "recorder.hpp"

extern "C" void wirecost_function_loading();

namespace wirecost::function {
namespace {

void (*told)() = nullptr;
thread_local bool in_it = false;

}  // namespace

bool watch_loading(void (*loaded)()) {
  const auto notice = static_cast<std::uintptr_t>(_r_debug.r_brk);
  if (notice == 0) return false;
  const Memory memory = [](std::uint64_t address, std::uint64_t size) {
    return std::span(reinterpret_cast<const std::byte*>(address), size);
  };
  for (const Object& object : loaded_objects()) {
    if (notice < object.low || notice >= object.high) continue;
    // Its size is in no table that is loaded: up to the first return.
    std::uint64_t end = notice;
    constexpr std::uint64_t longest = 8;
    Code code;
    do code = examine(memory, {notice, ++end}, {}, ~std::uint64_t{0});
    while (end < notice + longest && (!code.undecodable.empty() || code.returns.empty()));
    static Arena& arena = *new Arena;  // for the loader, which is there to the end
    Patch patch{.function = notice, .first_bytes = code.first_bytes, .number = 0};
    told = loaded;
    return code.undecodable.empty() && code.no_jump.empty() &&
           arena.reserve(object.low, object.high, thunk_bytes) &&
           prepare(patch, arena, wirecost_function_loading).empty() && arena.finish() &&
           put_jump(patch, memory_map()).empty();
  }
  return false;
}

}  // namespace wirecost::function

extern "C" [[gnu::visibility("hidden")]] void wirecost_function_loaded() {
  using namespace wirecost::function;
  if (in_it || _r_debug.r_state != r_debug::RT_CONSISTENT) return;
  in_it = true;
  with_all_registers_kept(told);
  in_it = false;
}
