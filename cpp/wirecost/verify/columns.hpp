// SPDX-License-Identifier: Apache-2.0
// Columns put back into rows by Google's reflection over their `.proto`: the independent reading of
// the columns wire. It shares nothing with the code that the schema compiler writes.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "wirecost/verify/reader.hpp"

namespace wirecost::verify {

/// Numbers from here on are not those of the message's own fields.
inline constexpr int first_band = 1 << 26;

/// The field that holds a repeated field's elements as columns, or null.
const google::protobuf::FieldDescriptor* columns_of(const google::protobuf::FieldDescriptor* rows);

/// Writes all elements of a list in columns, as fields `name` of a row message would read.
/// Throws MalformedMessage where columns and counts do not fit.
void walk_columns(Canonical& out, std::string_view name,
                  const google::protobuf::Descriptor* row_type,
                  const google::protobuf::Message& columns);

}  // namespace wirecost::verify
