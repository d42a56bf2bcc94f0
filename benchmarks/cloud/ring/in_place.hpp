// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter on the message's bytes, as Autoware's page on real-time performance
// recommends: no conversion, one list of indices a ring, a new output message each time.
#pragma once

#include <cstddef>
#include <vector>

#include "cloud/ring/ring.hpp"

namespace wirecost::cloud {

/// The points that stay, as PointXYZIRC. Throws std::invalid_argument for what cannot be read.
std::vector<std::byte> ring_in_place(const CloudView& cloud, const RingOptions& options);

}  // namespace wirecost::cloud
