// SPDX-License-Identifier: Apache-2.0
#include "xray.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "reported_calls.hpp"

namespace wirecost::function {
namespace {

// As in xray/xray_interface.h, which is part of clang's runtime and of no package of its own.
enum EntryType : int { entry = 0, exit = 1, tail = 2, log_args_entry = 3 };
using Handler = void (*)(std::int32_t, EntryType);
using SetHandler = int (*)(Handler);
using FunctionAddress = std::uintptr_t (*)(std::int32_t);
using MaxFunction = std::size_t (*)();
using PatchFunction = int (*)(std::int32_t);
constexpr int patched = 1;  // XRayPatchingStatus::SUCCESS

constexpr std::size_t most_numbers = std::size_t{1} << 20;
std::vector<Reported>* functions = nullptr;  ///< by the runtime's number; never destroyed

void handle(std::int32_t number, EntryType type) {
  const auto at = static_cast<std::size_t>(number);
  if (at >= functions->size() || (*functions)[at].section == 0) return;
  const Reported& function = (*functions)[at];
  if (type == entry || type == log_args_entry)
    reported_begin(function, reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                   function.address);
  else
    reported_end(function.section);
}

}  // namespace

std::string patch_sleds(const ElfFile& program, std::uintptr_t base,
                        const std::vector<Reported>& asked, std::size_t& without) {
  SetHandler set_handler = nullptr;
  FunctionAddress function_address = nullptr;
  MaxFunction max_function = nullptr;
  PatchFunction patch_function = nullptr;
  // The runtime is linked into the program, which need not export it.
  for (const FunctionSymbol& one : program.functions()) {
    const std::uintptr_t at = base + one.address;
    if (one.symbol == "__xray_set_handler") set_handler = reinterpret_cast<SetHandler>(at);
    if (one.symbol == "__xray_function_address")
      function_address = reinterpret_cast<FunctionAddress>(at);
    if (one.symbol == "__xray_max_function_id") max_function = reinterpret_cast<MaxFunction>(at);
    if (one.symbol == "__xray_patch_function") patch_function = reinterpret_cast<PatchFunction>(at);
  }
  if (set_handler == nullptr || function_address == nullptr || max_function == nullptr ||
      patch_function == nullptr)
    return "it was not linked with -fxray-instrument, or is stripped";
  const std::size_t count = std::min(max_function() + 1, most_numbers);
  functions = new std::vector<Reported>(count, Reported{});
  without = asked.size();
  for (std::size_t number = 1; number < count; ++number) {
    const auto id = static_cast<std::int32_t>(number);
    const auto found = std::ranges::find(asked, function_address(id), &Reported::address);
    if (found == asked.end()) continue;
    (*functions)[number] = *found;
    --without;
  }
  if (without == asked.size()) return "none of its functions that match has a place for a handler";
  if (set_handler(handle) == 0) return "its runtime takes no handler";
  for (std::size_t number = 1; number < count; ++number)
    if ((*functions)[number].section != 0 &&
        patch_function(static_cast<std::int32_t>(number)) != patched)
      return "its runtime could not patch it";
  return {};
}

}  // namespace wirecost::function
