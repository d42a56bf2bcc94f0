// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "patch.hpp"
#include "reported_calls.hpp"
#include "shadow.hpp"
#include "wirecost/probe.h"
#include "xray.hpp"

extern "C" void wirecost_function_entry();

namespace wirecost::function {

namespace {

/// Of the pages that a patch would change: where somebody has breakpoints, one of them may be
/// moved, or the kernel may take a changed page for its own.
bool is_as_in_file(const Object& object, const ElfFile& file, std::uint64_t address) {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t begin = std::max(address / page * page, object.low - object.base);
  const std::uint64_t end = (address + 2 * jump_bytes + page) / page * page;
  for (std::uint64_t at = begin; at < end;) {
    const auto bytes = file.bytes_at(at, std::min(end, (at / page + 1) * page) - at);
    if (bytes.empty()) return at > address;
    const auto* memory = reinterpret_cast<const void*>(object.base + at);
    if (std::memcmp(bytes.data(), memory, bytes.size()) != 0) return false;
    at += bytes.size();
  }
  return true;
}

}  // namespace

void say(const std::string& line) {
  const std::string whole = "wirecost probe: " + line + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, whole.data(), whole.size());
}

void Recorder::search(bool later) {
  std::set<std::pair<std::uintptr_t, std::string>> present;
  for (const Object& object : loaded_objects()) {
    const auto key = std::pair(object.base, object.path);
    present.insert(key);
    if (!known_.contains(key) && !is_runtime(object.path)) search_object(object, later);
  }
  // What was unloaded may come back at the same place, unpatched.
  known_ = std::move(present);
}

std::string Recorder::prepare_one(const Object& object, const ElfFile& file,
                                  const Selected& function, Arena& arena,
                                  std::vector<Patch>& patches) {
  if (!function.code.no_jump.empty()) return function.code.no_jump;
  if (functions_ + patches.size() >= limit_)
    return "more than " + std::to_string(limit_) + " functions match; ask for fewer";
  Patch patch{.function = object.base + function.address,
              .first_bytes = function.code.first_bytes,
              .number = functions_ + static_cast<std::uint32_t>(patches.size())};
  if (!is_as_in_file(object, file, function.address))
    return "its code in memory differs from the file, as under breakpoints; those of an observer "
           "that has ended are gone in some seconds";
  std::string trouble = prepare(patch, arena, wirecost_function_entry);
  if (trouble.empty()) patches.push_back(patch);
  return trouble;
}

void Recorder::search_object(const Object& object, bool later) {
  const ElfFile file(object.path);
  if (!file.trouble().empty()) return;
  const std::vector<Selected> selected = select(file, patterns_);
  std::vector<const Selected*> possible;
  for (const Selected& one : selected)
    if (one.refusal.empty()) possible.push_back(&one);
  if (possible.empty()) return;
  if (means_ == Means::patches)
    patch(object, file, possible, later);
  else
    have_reported(object, file, possible);
}

void Recorder::have_reported(const Object& object, const ElfFile& file,
                             const std::vector<const Selected*>& functions) {
  if (means_ == Means::xray && !file.has_section("xray_instr_map")) return;
  if (means_ == Means::instrumented && !file.mentions("__cyg_profile_func_enter")) return;
  const std::vector<std::string> names = section_names(functions);
  std::vector<Reported> sleds;
  for (std::size_t i = 0; i < functions.size() && functions_ < limit_; ++i, ++functions_) {
    const Reported function{.address = object.base + functions[i]->address,
                            .size = functions[i]->size,
                            .section = wirecost_probe_section(names[i].c_str())};
    if (means_ == Means::xray)
      sleds.push_back(function);
    else
      report_calls_of(function);
  }
  if (sleds.empty()) return;
  std::size_t without = 0;
  const std::string trouble = patch_sleds(file, object.base, sleds, without);
  if (!trouble.empty()) return say(object.path + ": not recorded: " + trouble);
  if (without != 0)
    say(object.path + ": " + std::to_string(without) +
        " functions that match have no place for a handler (too short for XRay's threshold)");
}

void Recorder::patch(const Object& object, const ElfFile& file,
                     const std::vector<const Selected*>& possible, bool later) {
  Arena arena;
  if (!arena.reserve(object.low, object.high, possible.size() * thunk_bytes))
    return say(object.path + ": no memory is free near it; its functions are not recorded");
  const std::vector<std::string> names = section_names(possible);
  std::vector<Patch> patches;
  for (std::size_t i = 0; i < possible.size(); ++i) {
    const std::size_t before = patches.size();
    const std::string trouble = prepare_one(object, file, *possible[i], arena, patches);
    if (patches.size() != before)
      set_section(patches.back().number, wirecost_probe_section(names[i].c_str()));
    else if (later)
      say(names[i] + " of " + object.path + " is not recorded: " + trouble);
  }
  if (patches.empty()) return;
  std::string trouble = arena.finish() ? "" : "memory cannot be made executable";
  for (std::size_t i = 0; i < patches.size() && trouble.empty(); ++i) trouble = apply(patches[i]);
  if (!trouble.empty()) return say(object.path + ": its functions are not recorded: " + trouble);
  functions_ += static_cast<std::uint32_t>(patches.size());
  if (later)
    say(object.path + ": opened now, " + std::to_string(patches.size()) +
        " of its functions are recorded");
}

}  // namespace wirecost::function
