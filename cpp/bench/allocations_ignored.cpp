// SPDX-License-Identifier: Apache-2.0
#include "bench/notification/allocations.hpp"

std::uint64_t wirecost::bench::allocations() { return 0; }
