// SPDX-License-Identifier: Apache-2.0
// Finds the functions that were asked for in what is loaded, and has their calls recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects.hpp"
#include "patch.hpp"
#include "request.hpp"
#include "selection.hpp"

namespace wirecost::function {

class Recorder {
 public:
  /// `by_object`: patterns of those functions whose objects are recorded one by one.
  Recorder(std::vector<std::string> patterns, std::vector<std::string> by_object, std::size_t limit,
           Means means)
      : patterns_(std::move(patterns)),
        by_object_(std::move(by_object)),
        limit_(limit),
        means_(means) {}

  /// Looks into objects that were not there the last time. `later`: while the program runs, when
  /// what is found was not shown before.
  void search(bool later);

 private:
  /// What the functions of an object take until it is unloaded.
  struct Kept {
    Arena arena;
    std::vector<std::uint32_t> numbers;    ///< of those that are patched
    std::vector<std::uintptr_t> reported;  ///< addresses
    std::size_t sleds = 0;
  };

  void search_object(const Object& object, Kept& kept, bool later);
  void patch(const Object& object, const ElfFile& file,
             const std::vector<const Selected*>& functions, Kept& kept, bool later);
  void have_reported(const Object& object, const ElfFile& file,
                     const std::vector<const Selected*>& functions, Kept& kept);
  /// A thunk for `function`; an empty text, or why it cannot be.
  std::string prepare_one(const Object& object, const ElfFile& file, const Selected& function,
                          Arena& arena, std::vector<Patch>& patches);
  void set_sections(std::uint32_t number, const Selected& function, const std::string& section);
  std::uint32_t take_number();
  void give_back_number(std::uint32_t number);
  void forget(const Kept& kept);
  /// A program may open the same libraries for ever.
  void say_once(const std::string& line);

  std::vector<std::string> patterns_, by_object_;
  std::size_t limit_;
  Means means_;
  std::size_t functions_ = 0;           ///< that are recorded now
  std::uint32_t next_number_ = 0;       ///< that nobody had yet
  std::vector<std::uint32_t> numbers_;  ///< that somebody had
  std::map<std::pair<std::uintptr_t, std::string>, Kept> known_;
  std::set<std::string> said_;
};

/// Has `loaded` called each time that libraries were loaded or unloaded, by the dynamic loader's
/// own notice to debuggers. False where the loader cannot be patched.
bool watch_loading(void (*loaded)());

void say(const std::string& line);

}  // namespace wirecost::function
