// SPDX-License-Identifier: Apache-2.0
#include "bench/allocations.hpp"

std::uint64_t wirecost::bench::allocations() { return 0; }
