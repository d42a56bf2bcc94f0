// SPDX-License-Identifier: Apache-2.0
// How often operator new was called; always 0 where the program does not count.
#pragma once

#include <cstdint>

namespace wirecost::bench {

std::uint64_t allocations();

}  // namespace wirecost::bench
