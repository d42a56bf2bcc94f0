// SPDX-License-Identifier: Apache-2.0
// Google FlatBuffers with every OSI message a table: what OSI's experimental schema gives.
#pragma once

#include "osi_table_generated.h"
#include "wirecost/codec/flatbuffers_reader.hpp"
#include "wirecost/codec/flatbuffers_writers.hpp"

namespace wirecost::flatbuffer {

WIRECOST_OSI_SCHEMA(TableSchema, osi_table);

struct TableCodec {
  using ViewWriter = flatbuffer::ViewWriter<TableSchema>;
  using ViewReader = flatbuffer::ViewReader<TableSchema>;
  using DataWriter = flatbuffer::DataWriter<TableSchema>;
};

/// The same messages by a reader that trusts nobody.
struct VerifiedTableCodec : TableCodec {
  using ViewReader = flatbuffer::ViewReader<TableSchema, Trust::verified>;
};

static_assert(Codec<TableCodec> && Codec<VerifiedTableCodec>);

}  // namespace wirecost::flatbuffer
