// SPDX-License-Identifier: Apache-2.0
// Columns put back into rows by Google's reflection over their `.proto`: the independent reading of
// the columns wire. It shares nothing with the code that the schema compiler writes.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "wirecost/codec/canonical.hpp"

namespace wirecost::protobuf {

/// Numbers from here on are not those of the message's own fields.
inline constexpr int first_band = 1 << 26;

/// The twin of a repeated field, or null: the columns of the same list.
const google::protobuf::FieldDescriptor* twin_of(const google::protobuf::FieldDescriptor* rows);

/// Writes all elements of a list in columns, as fields `name` of a row message would read.
/// Throws MalformedMessage where columns and counts do not fit.
void walk_columns(Canonical& out, std::string_view name,
                  const google::protobuf::Descriptor* row_type,
                  const google::protobuf::Message& columns);

}  // namespace wirecost::protobuf
