// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "patch.hpp"
#include "pattern.hpp"
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

void Recorder::say_once(const std::string& line) {
  constexpr std::size_t most = 100;
  if (said_.size() == most || !said_.insert(line).second) return;
  say(line);
  if (said_.size() == most) say("what else is found in libraries is not said any more");
}

void Recorder::search(bool later) {
  const std::vector<Object> objects = loaded_objects();
  const auto key_of = [](const Object& object) { return std::pair(object.base, object.path); };
  std::set<std::pair<std::uintptr_t, std::string>> present;
  for (const Object& object : objects) present.insert(key_of(object));
  // What was unloaded may come back at the same place, unpatched.
  std::erase_if(known_, [&](const auto& one) {
    if (present.contains(one.first)) return false;
    forget(one.second);
    return true;
  });
  for (const Object& object : objects) {
    const auto [known, added] = known_.try_emplace(key_of(object));
    if (added && !is_runtime(object.path)) search_object(object, known->second, later);
  }
}

void Recorder::forget(const Kept& kept) {
  for (const std::uint32_t number : kept.numbers) give_back_number(number);
  for (const std::uintptr_t address : kept.reported) forget_calls_of(address);
  functions_ -= kept.reported.size() + kept.sleds;
}

void Recorder::give_back_number(std::uint32_t number) {
  numbers_.push_back(number);
  --functions_;
}

std::uint32_t Recorder::take_number() {
  ++functions_;
  if (numbers_.empty()) return next_number_++;
  const std::uint32_t number = numbers_.back();
  numbers_.pop_back();
  return number;
}

std::string Recorder::prepare_one(const Object& object, const ElfFile& file,
                                  const Selected& function, Arena& arena,
                                  std::vector<Patch>& patches) {
  if (!function.code.no_jump.empty()) return function.code.no_jump;
  if (functions_ >= limit_)
    return "more than " + std::to_string(limit_) + " functions match; ask for fewer";
  if (!is_as_in_file(object, file, function.address))
    return "its code in memory differs from the file, as under breakpoints; those of an observer "
           "that has ended are gone in some seconds";
  Patch patch{.function = object.base + function.address,
              .first_bytes = function.code.first_bytes,
              .number = take_number()};
  std::string trouble = prepare(patch, arena, wirecost_function_entry);
  if (trouble.empty())
    patches.push_back(patch);
  else
    give_back_number(patch.number);
  return trouble;
}

void Recorder::search_object(const Object& object, Kept& kept, bool later) {
  const ElfFile file(object.path);
  if (!file.trouble().empty()) return;
  const std::vector<Selected> selected = select(file, patterns_);
  std::vector<const Selected*> possible;
  for (const Selected& one : selected)
    if (one.refusal.empty()) possible.push_back(&one);
  if (possible.empty()) return;
  if (means_ == Means::patches)
    patch(object, file, possible, kept, later);
  else
    have_reported(object, file, possible, kept);
}

void Recorder::have_reported(const Object& object, const ElfFile& file,
                             const std::vector<const Selected*>& functions, Kept& kept) {
  if (means_ == Means::xray && !file.has_section("xray_instr_map")) return;
  if (means_ == Means::instrumented && !file.mentions("__cyg_profile_func_enter")) return;
  const std::vector<std::string> names = section_names(functions);
  std::vector<Reported> sleds;
  for (std::size_t i = 0; i < functions.size() && functions_ < limit_; ++i) {
    const Reported function{.address = object.base + functions[i]->address,
                            .size = functions[i]->size,
                            .section = wirecost_probe_section(names[i].c_str())};
    if (means_ == Means::xray) {
      sleds.push_back(function);
      ++kept.sleds;
    } else {
      kept.reported.push_back(function.address);
      report_calls_of(function);
    }
    ++functions_;
  }
  if (sleds.empty()) return;
  std::size_t without = 0;
  const std::string trouble = patch_sleds(file, object.base, sleds, without);
  if (!trouble.empty()) return say_once(object.path + ": not recorded: " + trouble);
  if (without != 0)
    say_once(object.path + ": " + std::to_string(without) +
             " functions that match have no place for a handler (too short for XRay's threshold)");
}

void Recorder::set_sections(std::uint32_t number, const Selected& function,
                            const std::string& section) {
  set_section(number, wirecost_probe_section(section.c_str()));
  if (!any_matches(by_object_, function.name)) return;
  std::array<std::uint32_t, most_objects + 1> sections{};
  for (std::size_t i = 0; i < sections.size(); ++i) {
    std::string name = section + " object ";
    name += std::to_string(i + 1);
    if (i == most_objects) name += " and more";
    sections[i] = wirecost_probe_section(name.c_str());
  }
  set_sections_of_objects(number, sections);
}

void Recorder::patch(const Object& object, const ElfFile& file,
                     const std::vector<const Selected*>& possible, Kept& kept, bool later) {
  if (!kept.arena.reserve(object.low, object.high, possible.size() * thunk_bytes))
    return say_once(object.path + ": no memory is free near it; its functions are not recorded");
  const std::vector<std::string> names = section_names(possible);
  std::vector<Patch> patches;
  for (std::size_t i = 0; i < possible.size(); ++i) {
    const std::string trouble = prepare_one(object, file, *possible[i], kept.arena, patches);
    if (trouble.empty())
      set_sections(patches.back().number, *possible[i], names[i]);
    else if (later)
      say_once(names[i] + " of " + object.path + " is not recorded: " + trouble);
  }
  if (patches.empty()) return kept.arena.give_back();
  // From here on they are this object's, patched or not.
  for (const Patch& one : patches) kept.numbers.push_back(one.number);
  std::string trouble = kept.arena.finish() ? "" : "memory cannot be made executable";
  const std::vector<Mapping> memory = memory_map();
  std::size_t applied = 0;
  for (; applied < patches.size() && trouble.empty(); ++applied)
    trouble = put_jump(patches[applied], memory);
  if (!trouble.empty())
    return say_once(object.path + ": not all of its functions are recorded: " + trouble);
  if (later)
    say_once(object.path + ": opened now, " + std::to_string(patches.size()) +
             " of its functions are recorded");
}

}  // namespace wirecost::function
