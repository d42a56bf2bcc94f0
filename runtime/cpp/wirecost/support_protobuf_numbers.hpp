// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format: types of fields, limits, numbers as varints.
#pragma once

#include "wirecost/support.hpp"

namespace wirecost::protobuf {

enum WireType : std::uint32_t {
    varint = 0,
    i64 = 1,
    len = 2,
    start_group = 3,
    end_group = 4,
    i32 = 5
};

constexpr std::size_t max_message = std::numeric_limits<std::int32_t>::max();
constexpr int max_skipped_depth = 100;  // of unknown groups, wherever they stand
// A group of the schema is walked over to find its end; unknown ones may lie in it that deep.
constexpr int max_group_depth = 2 * max_skipped_depth;
// Bits that a varint may have; tags and lengths take five bytes at most.
constexpr unsigned varint_bits = 70;
constexpr unsigned short_bits = 35;

constexpr std::size_t varint_size(std::uint64_t value) noexcept {
    return (static_cast<std::size_t>(std::bit_width(value | 1U)) * 9 + 64) / 64;
}

constexpr std::size_t delimited_size(std::size_t size) noexcept {
    return varint_size(size) + size;
}

constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1));
}

// What a number is as a varint: signed ones are sign-extended to 64 bits.
template <class T>
constexpr std::uint64_t extended(T value) noexcept {
    if constexpr (std::is_enum_v<T>) {
        return extended(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
        return value;
    }
}

template <class T>
constexpr T narrowed(std::uint64_t value) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return value != 0;
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<T>(static_cast<std::underlying_type_t<T>>(value));
    } else {
        return static_cast<T>(value);
    }
}

}  // namespace wirecost::protobuf
