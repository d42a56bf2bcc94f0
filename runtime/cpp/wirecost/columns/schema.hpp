// SPDX-License-Identifier: Apache-2.0
// What the columns of a message type are: its fields, nested messages included, as a table of
// nodes. Made by the schema compiler, or at run time from descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wirecost/support_protobuf.hpp"

namespace wirecost::columns {

using protobuf::Coding;

// What one value of a node is. Enums are 32-bit numbers; strings and bytes are texts.
enum class Type : std::uint8_t {
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float32,
    float64,
    enumeration,
    text,
    message,
};

constexpr bool is_scalar(Type type) noexcept {
    return type < Type::text;
}

// Integers proper: what may be stored scaled besides float32 and float64.
constexpr bool is_integer(Type type) noexcept {
    return type >= Type::int8 && type <= Type::uint64;
}

constexpr bool is_real(Type type) noexcept {
    return type == Type::float32 || type == Type::float64;
}

constexpr bool is_signed(Type type) noexcept {
    return type == Type::int8 || type == Type::int16 || type == Type::int32 ||
           type == Type::int64 || type == Type::enumeration;
}

// Bytes of a scalar in memory; of an enum 4, though its column may have one byte a value.
constexpr std::uint32_t width_of(Type type) noexcept {
    switch (type) {
        case Type::boolean:
        case Type::int8:
        case Type::uint8:
            return 1;
        case Type::int16:
        case Type::uint16:
            return 2;
        case Type::int32:
        case Type::uint32:
        case Type::float32:
        case Type::enumeration:
            return 4;
        case Type::int64:
        case Type::uint64:
        case Type::float64:
            return 8;
        default:
            return 0;
    }
}

// A field of the message in columns, or of a message in it.
struct Node {
    std::string_view name{};   // dotted, from the message in columns
    std::uint32_t number = 0;  // in the message around it, below 2^26
    std::int32_t parent = -1;  // index of the message node around it, -1: the message in columns
    std::uint32_t end = 0;     // its subtree lies before this index
    Type type = Type::message;
    Coding coding = Coding::varint;  // of a scalar in rows
    bool repeated = false;           // has offsets, which count its elements and all below it
    bool optional = false;           // can be absent, which differs from the default
    bool required = false;           // a row without it is none
    bool always = false;      // rows have it even where it is the default: required, map entries
    bool packed = false;      // in rows
    bool group = false;       // in rows: between tags instead of behind a length
    bool wraps = false;       // a repeated text: its only child, number 1, is the text
    std::int32_t oneof = -1;  // members of one oneof share a number that no other oneof has
    std::uint64_t fixed = 0;  // values of a fixed array, and in them, that every row has
    std::uint64_t default_bits = 0;  // of a scalar where it is absent, as it lies in memory
    std::string_view default_text{};
};

// The nodes in depth-first order, those of one message in the order of their numbers. Owns neither
// nodes nor name.
struct Schema {
    std::string_view name{};  // full name of the message
    std::span<const Node> nodes{};
};

// How a writer may store a column.
enum class Reduce : std::uint8_t { exact, automatic, float32, error };

struct Reduction {
    Reduce form = Reduce::exact;
    double error = 0.0;  // the largest, in the field's unit, for Reduce::error

    bool operator==(const Reduction&) const = default;
};

// Whether a reduction makes sense for a node; for others a writer is given exact.
constexpr bool can_reduce(const Node& node, const Reduction& reduction) noexcept {
    if (reduction.form == Reduce::float32) return node.type == Type::float64;
    if (reduction.form == Reduce::error) return is_real(node.type);
    return node.type != Type::message;
}

// k of a number k * band + n: what it is to field n.
enum class Part : std::uint32_t { column, presence, offsets, scale, base, constant, columns, own };

constexpr std::uint32_t band = 1U << 26U;
constexpr std::size_t alignment = 64;    // of every payload, from the begin of the message
constexpr std::size_t length_bytes = 5;  // of every message that holds columns

constexpr std::uint32_t number_of(Part part, std::uint32_t field) noexcept {
    return static_cast<std::uint32_t>(part) * band + field;
}

constexpr std::uint32_t count_number = number_of(Part::own, 0);
constexpr std::uint32_t padding_number = number_of(Part::own, 1);
constexpr std::uint32_t largest_count = 0x7FFFFFFFU;

}  // namespace wirecost::columns
