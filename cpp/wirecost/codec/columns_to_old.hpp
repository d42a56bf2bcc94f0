// SPDX-License-Identifier: Apache-2.0
// What columns cost somebody who does not know them: the official OSI classes read the message and
// copy the field they do not know.
#pragma once

#include "wirecost/codec/columns_also_rows.hpp"
#include "wirecost/codec/protobuf.hpp"

namespace wirecost::compiled {

/// Only columns: the old consumer sees objects and no reflections.
struct ToOldCodec {
  using ViewWriter = ColumnsCodec::ViewWriter;
  using ViewReader = protobuf::FreshCodec::ViewReader;
  using DataWriter = protobuf::FreshCodec::DataWriter;
};

/// Rows as well: the old consumer does all its work.
struct AlsoRowsToOldCodec {
  using ViewWriter = AlsoRowsCodec::ViewWriter;
  using ViewReader = protobuf::FreshCodec::ViewReader;
  using DataWriter = protobuf::FreshCodec::DataWriter;
};

static_assert(Codec<ToOldCodec> && Codec<AlsoRowsToOldCodec>);

}  // namespace wirecost::compiled
