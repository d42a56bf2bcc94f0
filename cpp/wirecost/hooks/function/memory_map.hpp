// SPDX-License-Identifier: Apache-2.0
// What this process has mapped, and how it may be used.
#pragma once

#include <cstdint>
#include <vector>

namespace wirecost::function {

struct Mapping {
  std::uintptr_t begin, end;
  int protection;  ///< PROT_READ, PROT_WRITE, PROT_EXEC
};

/// In the order of addresses; empty where the kernel does not tell.
std::vector<Mapping> memory_map();

std::uintptr_t page_size();

}  // namespace wirecost::function
