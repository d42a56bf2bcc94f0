// SPDX-License-Identifier: Apache-2.0
// Finds the functions that were asked for in what is loaded, and has their calls recorded.
#pragma once

#include <cstddef>
#include <cstdint>
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
  Recorder(std::vector<std::string> patterns, std::size_t limit, Means means)
      : patterns_(std::move(patterns)), limit_(limit), means_(means) {}

  /// Looks into objects that were not there the last time. `later`: while the program runs, when
  /// what is found was not shown before.
  void search(bool later);

 private:
  void search_object(const Object& object, bool later);
  void patch(const Object& object, const ElfFile& file,
             const std::vector<const Selected*>& functions, bool later);
  void have_reported(const Object& object, const ElfFile& file,
                     const std::vector<const Selected*>& functions);
  /// A thunk for `function`; an empty text, or why it cannot be.
  std::string prepare_one(const Object& object, const ElfFile& file, const Selected& function,
                          Arena& arena, std::vector<Patch>& patches);

  std::vector<std::string> patterns_;
  std::size_t limit_;
  Means means_;
  std::uint32_t functions_ = 0;
  std::set<std::pair<std::uintptr_t, std::string>> known_;
};

/// Has `loaded` called each time that libraries were loaded or unloaded, by the dynamic loader's
/// own notice to debuggers. False where the loader cannot be patched.
bool watch_loading(void (*loaded)());

void say(const std::string& line);

}  // namespace wirecost::function
