// SPDX-License-Identifier: Apache-2.0
// What is wrong with a JSON text, or with a message that is to become one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wirecost::json {

enum class Reason : std::uint8_t {
    none,
    not_json,
    bad_utf8,
    bad_escape,
    wrong_type,
    out_of_range,
    bad_base64,
    bad_time,
    bad_duration,
    bad_mask,
    bad_any,
    unknown_type,
    unknown_field,
    unknown_value,
    extension,
    duplicate,
    second_member,
    missing_required,
    over_capacity,
    nested_too_deep,
    too_much_memory,
};

constexpr const char* text(Reason reason) noexcept {
    constexpr std::array<const char*, 21> texts{
        "no error",
        "the text is not JSON",
        "a string is not UTF-8",
        "a string has an escape that is none, or half of a surrogate pair",
        "a value does not have the type of its field",
        "a number is out of range",
        "a string is not base64",
        "a time is not one of the years 1 to 9999, as 1970-01-01T00:00:00.5Z",
        "a duration is not one of at most 10,000 years, as 1.5s",
        "a path of a field mask cannot be written or read",
        "an Any has no @type that is a URL, more than it may have, or bytes that are no message",
        "an Any holds a message that is not among the types given in the options",
        "a name is none of the message's fields",
        "an enum has no such value",
        "extensions are not supported",
        "a name comes twice",
        "a second member of a oneof",
        "a required field is missing",
        "a field holds more or less than it may",
        "messages are nested too deep",
        "the message asks for too much memory",
    };
    return texts[static_cast<std::size_t>(reason)];
}

// Contextually true if something is wrong. `position` counts bytes of the text that is read, or of
// what was written before.
struct Error {
    Reason reason = Reason::none;
    std::size_t position = 0;

    explicit operator bool() const noexcept { return reason != Reason::none; }
    const char* what() const noexcept { return text(reason); }
};

}  // namespace wirecost::json
