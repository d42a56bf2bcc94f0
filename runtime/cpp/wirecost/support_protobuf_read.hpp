// SPDX-License-Identifier: Apache-2.0
// Reading Protobuf's wire format: tags, lengths, values, unknown fields.
#pragma once

#include "wirecost/support_protobuf_numbers.hpp"

namespace wirecost::protobuf {

template <unsigned bits>
[[gnu::noinline]] const Byte* read_long_varint(const Byte* p, const Byte* end,
                                               std::uint64_t& value) noexcept {
    if (left(p, end) > 1 && p[1] < 0x80) {
        value = (p[0] & 0x7FU) | static_cast<std::uint64_t>(p[1]) << 7U;
        return p + 2;
    }
    std::uint64_t result = 0;
    for (unsigned shift = 0; shift < bits && p != end; shift += 7) {
        const Byte byte = *p++;
        result |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80) {
            value = result;
            return p;
        }
    }
    return nullptr;
}

template <unsigned bits = varint_bits>
inline const Byte* read_varint(const Byte* p, const Byte* end, std::uint64_t& value) noexcept {
    if (p != end && *p < 0x80) {
        value = *p;
        return p + 1;
    }
    return read_long_varint<bits>(p, end, value);
}

inline const Byte* varint_field(const Byte* p, const Byte* end, Reading& reading,
                                std::uint64_t& value) noexcept {
    const Byte* const next = read_varint(p, end, value);
    return next != nullptr ? next : reading.fail(Reason::bad_varint, p);
}

// Whether a known tag, `N` bytes as one little-endian number, comes next.
template <std::size_t N, std::uint64_t tag>
bool next_is(const Byte* p, const Byte* end) noexcept {
    std::uint64_t next = 0;
    if (left(p, end) < N) return false;
    std::memcpy(&next, p, N);
    return next == tag;
}

// Says which type is meant where there is no object of it.
template <class T>
struct Of {};

// A tag that no field can have is an error; 0 is never returned.
inline const Byte* read_tag(const Byte* p, const Byte* end, Reading& reading,
                            std::uint32_t& tag) noexcept {
    std::uint64_t value = 0;
    const Byte* const next = read_varint<short_bits>(p, end, value);
    if (next == nullptr || value < 8 || value > 0xFFFFFFFFU)
        return reading.fail(Reason::bad_tag, p);
    tag = static_cast<std::uint32_t>(value);
    return next;
}

// A length of two bytes or more, or one that is wrong.
[[gnu::noinline]] inline const Byte* read_long_length(const Byte* p, const Byte* end,
                                                      Reading& reading,
                                                      std::size_t& size) noexcept {
    std::uint64_t value = 0;
    const Byte* next = p + 2;
    if (left(p, end) > 1 && p[0] >= 0x80 && p[1] < 0x80) {
        value = (p[0] & 0x7FU) | std::uint64_t{p[1]} << 7U;
    } else {
        next = read_varint<short_bits>(p, end, value);
        if (next == nullptr) return reading.fail(Reason::bad_varint, p);
    }
    if (value > left(next, end)) return reading.fail(Reason::bad_length, p);
    size = static_cast<std::size_t>(value);
    return next;
}

// A length, checked against what is left.
[[gnu::always_inline]] inline const Byte* read_length(const Byte* p, const Byte* end,
                                                      Reading& reading,
                                                      std::size_t& size) noexcept {
    if (p != end && *p < 0x80 && *p < left(p, end)) {
        size = *p;
        return p + 1;
    }
    return read_long_length(p, end, reading, size);
}

inline const Byte* read_text(const Byte* p, const Byte* end, Reading& reading,
                             std::string_view& value) noexcept {
    std::size_t size = 0;
    p = read_length(p, end, reading, size);
    if (p == nullptr) return nullptr;
    value = {reinterpret_cast<const char*>(p), size};
    return p + size;
}

template <class T>
const Byte* read_fixed(const Byte* p, const Byte* end, Reading& reading, T& value) noexcept {
    if (left(p, end) < sizeof(T)) return reading.fail(Reason::truncated, p);
    value = load<T>(p);
    return p + sizeof(T);
}

inline const Byte* skip_group(const Byte* p, const Byte* end, Reading& reading, std::uint32_t tag,
                              int depth, const Byte*& content_end) noexcept;

// Behind the value of a field with this tag; groups are skipped up to their end tag.
inline const Byte* skip(const Byte* p, const Byte* end, Reading& reading, std::uint32_t tag,
                        int depth = max_skipped_depth) noexcept {
    std::uint64_t value = 0;
    std::size_t size = 0;
    const Byte* content_end = nullptr;
    switch (tag & 7U) {
        case varint:
            return varint_field(p, end, reading, value);
        case i64:
            return left(p, end) < 8 ? reading.fail(Reason::truncated, p) : p + 8;
        case i32:
            return left(p, end) < 4 ? reading.fail(Reason::truncated, p) : p + 4;
        case len:
            p = read_length(p, end, reading, size);
            return p == nullptr ? nullptr : p + size;
        case start_group:
            return skip_group(p, end, reading, tag, depth, content_end);
        default:
            return reading.fail(Reason::bad_tag, p);
    }
}

// Behind a group's end tag; `content_end`: where that tag begins.
inline const Byte* skip_group(const Byte* p, const Byte* end, Reading& reading, std::uint32_t tag,
                              int depth, const Byte*& content_end) noexcept {
    if (depth == 0) return reading.fail(Reason::nested_too_deep, p);
    for (;;) {
        std::uint32_t inner = 0;
        content_end = p;
        p = read_tag(p, end, reading, inner);
        if (p == nullptr) return nullptr;
        if ((inner & 7U) == end_group) {
            return (inner >> 3U) == (tag >> 3U) ? p : reading.fail(Reason::bad_group, content_end);
        }
        p = skip(p, end, reading, inner, depth - 1);
        if (p == nullptr) return nullptr;
    }
}

inline std::size_t count_varints(const Byte* p, const Byte* end) noexcept {
    return static_cast<std::size_t>(std::count_if(p, end, [](Byte byte) { return byte < 0x80; }));
}

enum class Coding : std::uint8_t { varint, zigzag, fixed };

// One scalar behind its tag.
template <class T, Coding coding>
const Byte* read_scalar(const Byte* p, const Byte* end, Reading& reading, T& value) noexcept {
    if constexpr (coding == Coding::fixed) {
        return read_fixed(p, end, reading, value);
    } else {
        std::uint64_t raw = 0;
        p = varint_field(p, end, reading, raw);
        if constexpr (coding == Coding::zigzag) {  // of 32 bits what is beyond them is cut off
            value = static_cast<T>(unzigzag(narrowed<std::make_unsigned_t<T>>(raw)));
        } else {
            value = narrowed<T>(raw);
        }
        return p;
    }
}

// Room in a full list for all elements, each behind a length, that follow one another from `p` on:
// a list that grows copies what it has, and leaves blocks of memory that nobody takes again.
template <std::size_t N, std::uint64_t tag, class List>
[[gnu::noinline]] void make_room(const Byte* p, const Byte* end, const Reading& reading,
                                 List& list) {
    constexpr std::size_t element = sizeof(typename List::value_type);
    std::size_t count = 0;
    std::uint64_t size = 0;
    do {
        p = read_varint(p, end, size);
        if (p == nullptr || size > left(p, end)) break;
        p += size;
        ++count;
    } while (next_is<N, tag>(p, end) && (p += N) != end);
    const std::size_t most = 1 + reading.memory / element;  // one has been taken
    list.reserve(std::max(length(list) + std::min(count, most), 2 * length(list)));
}

// All scalars of a packed field, behind its length.
template <class Element, class T, Coding coding, class Elements>
const Byte* read_packed(const Byte* p, const Byte* end, Reading& reading, Elements& values) {
    std::size_t size = 0;
    p = read_length(p, end, reading, size);
    if (p == nullptr) return nullptr;
    const Byte* const stop = p + size;
    const std::size_t old = length(values);
    if constexpr (coding == Coding::fixed) {
        if (size % sizeof(T) != 0) return reading.fail(Reason::bad_length, p);
        values.resize(old + size / sizeof(T));
        load_array<T, false>(values.data() + old, p, size / sizeof(T));
        return stop;
    } else {
        values.resize(old + count_varints(p, stop));
        for (auto to = values.begin() + static_cast<std::ptrdiff_t>(old); to != values.end();
             ++to) {
            T value{};
            p = read_scalar<T, coding>(p, stop, reading, value);
            if (p == nullptr) return nullptr;
            *to = static_cast<Element>(value);
        }
        return p == stop ? p : reading.fail(Reason::bad_varint, p);
    }
}

// The same into an array of fixed size, of which `filled` elements came before.
template <class T, Coding coding, class Element, std::size_t N>
const Byte* read_packed_array(const Byte* p, const Byte* end, Reading& reading,
                              std::array<Element, N>& values, std::size_t& filled) {
    std::size_t size = 0;
    p = read_length(p, end, reading, size);
    if (p == nullptr) return nullptr;
    for (const Byte* const stop = p + size; p != stop;) {
        T value{};
        const Byte* const start = p;
        p = read_scalar<T, coding>(p, stop, reading, value);
        if (p == nullptr) return nullptr;
        if (filled == N) return reading.fail(Reason::over_capacity, start);
        values[filled++] = static_cast<Element>(value);
    }
    return p;
}

}  // namespace wirecost::protobuf
