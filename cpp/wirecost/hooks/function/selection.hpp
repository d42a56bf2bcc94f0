// SPDX-License-Identifier: Apache-2.0
// Which functions of an object a user means, and what can be done with each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "elf_functions.hpp"

namespace wirecost::function {

struct Selected {
  std::string name;  ///< as in the source, with parameters
  std::string symbol;
  std::uint64_t address = 0;  ///< in the file's own addresses
  std::uint64_t size = 0;
  std::string refusal;  ///< why it cannot be recorded by any means; empty: it can
  Code code;
};

/// Whether an object is one whose functions the recorder itself runs on: the C and C++ runtime, the
/// loader, and wirecost's own libraries.
bool is_runtime(std::string_view path);

/// The functions of `file` that one of `patterns` matches, by address.
std::vector<Selected> select(const ElfFile& file, const std::vector<std::string>& patterns);

/// Section names for `selected`, in its order: no two the same, none beyond what a log keeps.
std::vector<std::string> section_names(const std::vector<const Selected*>& selected);

}  // namespace wirecost::function
