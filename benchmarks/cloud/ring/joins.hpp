// SPDX-License-Identifier: Apache-2.0
// Which neighbours join, for all points of a cloud at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cloud/ring/ring.hpp"

namespace wirecost::cloud {

/// What decides whether neighbours join.
struct RingKey {
  float azimuth;
  float distance;
};

/// Sets bit i of `bits` where key i joins key i + 1, for i < count - 1; the other bits of the words
/// it writes, up to ceil(count / 64) of them, are undefined.
using FindJoins = void (*)(const RingKey* keys, std::size_t count, const RingOptions& options,
                           std::uint64_t* bits);

void find_joins_portable(const RingKey* keys, std::size_t count, const RingOptions& options,
                         std::uint64_t* bits);

/// The quickest that this processor can run.
FindJoins find_joins();

}  // namespace wirecost::cloud
