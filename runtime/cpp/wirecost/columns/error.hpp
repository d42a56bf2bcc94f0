// SPDX-License-Identifier: Apache-2.0
// Why columns or rows were refused.
#pragma once

#include <array>
#include <string>

#include "wirecost/columns/schema.hpp"

namespace wirecost::columns {

enum class Reason : std::uint8_t {
    none,
    truncated,
    bad_length,
    bad_tag,
    bad_varint,
    bad_group,
    nested_too_deep,
    wrong_wire_type,
    given_twice,
    no_count,
    inner_count,
    too_many,
    not_for_this_type,
    no_column,
    bad_presence,
    bad_offsets,
    bad_runs,
    bad_width,
    bad_scale,
    out_of_range,
    column_and_constant,
    unknown_field,
    two_of_oneof,
    missing_required,
    too_large,
};

constexpr const char* text(Reason reason) noexcept {
    constexpr std::array<const char*, 25> texts{
        "no error",
        "the message ends too early",
        "a length reaches beyond the message",
        "a field's tag is not valid",
        "a varint is too long or cut off",
        "a group does not end with its own end tag",
        "messages are nested too deep",
        "the wire type is not the field's",
        "it comes twice",
        "the element count is missing",
        "only the columns field itself has an element count",
        "more elements than the limit allows",
        "its type has no such part",
        "its values are missing",
        "presence has not one bit for each element",
        "the offsets do not start at 0, fall, or are not one more than the elements",
        "the starts of runs do not start at 0, rise and end at the element count",
        "the length is no width of this type for each value",
        "scale and base are not both there, not finite, or not allowed for the type",
        "its constant does not fit the type",
        "a constant stands beside a column or offsets",
        "rows have a field that the schema does not know",
        "a row has two members of one oneof",
        "a row lacks a required field",
        "the result is larger than the limit allows",
    };
    return texts[static_cast<std::size_t>(reason)];
}

// Contextually true if something is wrong. `position` counts bytes from the begin of the input.
struct Error {
    Reason reason = Reason::none;
    std::size_t position = 0;
    std::string_view
        column{};  // its dotted name, in the schema's memory; empty: none in particular

    explicit operator bool() const noexcept { return reason != Reason::none; }
    const char* what() const noexcept { return text(reason); }

    // One line that names position, column and reason.
    std::string message() const {
        std::string line = "byte " + std::to_string(position);
        if (!column.empty()) line.append(", column ").append(column);
        return line + ": " + what();
    }
};

// What a reason of the Protobuf wire is here.
constexpr Reason reason_of(wirecost::Reason reason) noexcept {
    switch (reason) {
        case wirecost::Reason::none:
            return Reason::none;
        case wirecost::Reason::bad_length:
            return Reason::bad_length;
        case wirecost::Reason::bad_tag:
            return Reason::bad_tag;
        case wirecost::Reason::bad_varint:
            return Reason::bad_varint;
        case wirecost::Reason::bad_group:
            return Reason::bad_group;
        case wirecost::Reason::nested_too_deep:
            return Reason::nested_too_deep;
        default:
            return Reason::truncated;
    }
}

}  // namespace wirecost::columns
