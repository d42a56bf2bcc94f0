// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wirecost::test {

// How often operator new was called in this program.
std::size_t allocations();

// The largest block it was ever asked for since the last call of this function.
std::size_t largest_allocation();

}  // namespace wirecost::test
