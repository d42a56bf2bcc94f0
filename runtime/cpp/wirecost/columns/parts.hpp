// SPDX-License-Identifier: Apache-2.0
// Which parts a field has in columns, and how each stands on the wire.
#pragma once

#include "wirecost/columns/schema.hpp"

namespace wirecost::columns {

// Whether a field can have such a part.
constexpr bool may_have(const Node& field, Part part) noexcept {
    switch (part) {
        case Part::presence:
            return field.optional;
        case Part::offsets:
            return field.repeated || field.type != Type::message;
        case Part::scale:
        case Part::base:
            return is_integer(field.type) || is_real(field.type);
        case Part::constant:
            return field.type != Type::message;
        default:
            return true;
    }
}

// The wire type of a part that the field can have.
constexpr std::uint32_t wire_type_of(const Node& field, Part part) noexcept {
    if (part == Part::scale || part == Part::base) return protobuf::i64;
    if (part != Part::constant || field.type == Type::text) return protobuf::len;
    if (field.type == Type::boolean) return protobuf::varint;
    return width_of(field.type) == 8 ? protobuf::i64 : protobuf::i32;
}

// Whether a part may come in several pieces, as packed fields may.
constexpr bool in_pieces(const Node& field, Part part) noexcept {
    if (part == Part::offsets) return true;
    return part == Part::column && is_scalar(field.type) && field.type != Type::enumeration &&
           width_of(field.type) >= 4;
}

}  // namespace wirecost::columns
