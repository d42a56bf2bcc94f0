// SPDX-License-Identifier: Apache-2.0
// The fields of a message one after the other, as they stand on the wire.
#pragma once

#include "wirecost/columns/error.hpp"

namespace wirecost::columns {

// From its tag to behind it.
struct WireField {
    const Byte* start;
    const Byte* content;  // behind tag and length
    const Byte* end;
    std::uint32_t number;
    std::uint32_t wire_type;

    bool is(std::uint32_t wanted) const noexcept {
        return number == wanted && wire_type == protobuf::len;
    }
    std::span<const std::byte> bytes() const noexcept {
        return {reinterpret_cast<const std::byte*>(content), left(content, end)};
    }
};

// Moves `p` behind the field that begins there. False if it is malformed; the error's position
// counts from `begin`.
inline bool next_field(const Byte* begin, const Byte*& p, const Byte* end, WireField& field,
                       Error& error) noexcept {
    Reading reading(begin, 0, 0, no_limits);
    std::uint32_t tag = 0;
    field.start = p;
    field.content = p = protobuf::read_tag(p, end, reading, tag);
    if (p != nullptr) p = protobuf::skip(p, end, reading, tag);
    if (p == nullptr) {
        error = {reason_of(reading.error.reason), reading.error.position, {}};
        return false;
    }
    field.number = tag >> 3U;
    field.wire_type = tag & 7U;
    field.end = p;
    std::uint64_t size = 0;
    if (field.wire_type == protobuf::len)
        field.content = protobuf::read_varint(field.content, p, size);
    return true;
}

}  // namespace wirecost::columns
