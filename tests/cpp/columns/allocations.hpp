// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wirecost::test {

// How often operator new was called in this program.
std::size_t allocations();

}  // namespace wirecost::test
