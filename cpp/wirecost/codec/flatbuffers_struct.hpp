// SPDX-License-Identifier: Apache-2.0
// Google FlatBuffers with reflections, vectors, identifiers … as structs: smaller and faster,
// but a struct can never gain a field.
#pragma once

#include "osi_struct_generated.h"
#include "wirecost/codec/flatbuffers_reader.hpp"
#include "wirecost/codec/flatbuffers_writers.hpp"

namespace wirecost::flatbuffer {

WIRECOST_OSI_SCHEMA(StructSchema, osi_struct);

struct StructCodec {
  using ViewWriter = flatbuffer::ViewWriter<StructSchema>;
  using ViewReader = flatbuffer::ViewReader<StructSchema>;
  using DataWriter = flatbuffer::DataWriter<StructSchema>;
};

static_assert(Codec<StructCodec>);

}  // namespace wirecost::flatbuffer
