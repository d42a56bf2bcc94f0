// SPDX-License-Identifier: Apache-2.0
// The program and the libraries that it has loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wirecost::function {

struct Object {
  std::string path;
  std::uintptr_t base;       ///< what is added to the file's addresses
  std::uintptr_t low, high;  ///< its memory
};

std::vector<Object> loaded_objects();

}  // namespace wirecost::function
