// SPDX-License-Identifier: Apache-2.0
// What the cheats of bench osi are made of: an honest codec, of which each changes one part.
#pragma once

#include "wirecost/codec/flatbuffers_table.hpp"

namespace wirecost::cheats {

using Honest = flatbuffer::TableCodec;

}  // namespace wirecost::cheats
