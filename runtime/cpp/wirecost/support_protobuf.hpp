// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format: varints, tags, lengths. Written backwards: a writer gets the position
// behind what is still to be written and returns where it begins, nullptr if the buffer is full.
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

// --- writing --------------------------------------------------------------------------------

inline Byte* put_varint(Byte* p, const Byte* begin, std::uint64_t value) noexcept {
    if (value < 0x80) {
        if (p == begin) return nullptr;
        *--p = static_cast<Byte>(value);
        return p;
    }
    const std::size_t size = varint_size(value);
    if (left(begin, p) < size) return nullptr;
    p -= size;
    Byte* to = p;
    while (value >= 0x80) {
        *to++ = static_cast<Byte>(value | 0x80U);
        value >>= 7U;
    }
    *to = static_cast<Byte>(value);
    return p;
}

// `N` bytes of tag, known when code is generated, as one little-endian number.
template <std::size_t N>
Byte* put_tag_unchecked(Byte* p, std::uint64_t tag) noexcept {
    p -= N;
    std::memcpy(p, &tag, N);
    return p;
}

template <std::size_t N>
Byte* put_tag(Byte* p, const Byte* begin, std::uint64_t tag) noexcept {
    return left(begin, p) < N ? nullptr : put_tag_unchecked<N>(p, tag);
}

template <std::size_t N, class T>
Byte* put_fixed(Byte* p, const Byte* begin, std::uint64_t tag, T value) noexcept {
    if (left(begin, p) < N + sizeof(T)) return nullptr;
    p -= sizeof(T);
    std::memcpy(p, &value, sizeof(T));
    return put_tag_unchecked<N>(p, tag);
}

template <std::size_t N>
Byte* put_number(Byte* p, const Byte* begin, std::uint64_t tag, std::uint64_t value) noexcept {
    p = put_varint(p, begin, value);
    return p == nullptr ? nullptr : put_tag<N>(p, begin, tag);
}

template <std::size_t N>
Byte* put_text(Byte* p, const Byte* begin, std::uint64_t tag, std::string_view value) noexcept {
    const std::size_t prefix = varint_size(value.size());
    if (left(begin, p) < value.size() + prefix + N) return nullptr;
    p -= value.size();
    store_bytes(p, value.data(), value.size());
    return put_tag_unchecked<N>(put_varint(p, p - prefix, value.size()), tag);
}

// The length of what lies between `p` and `end`, and its tag.
template <std::size_t N>
Byte* put_head(Byte* p, const Byte* begin, std::uint64_t tag, const Byte* end) noexcept {
    return put_number<N>(p, begin, tag, left(p, end));
}

inline Byte* put_raw(Byte* p, const Byte* begin, std::string_view bytes) noexcept {
    if (left(begin, p) < bytes.size()) return nullptr;
    p -= bytes.size();
    store_bytes(p, bytes.data(), bytes.size());
    return p;
}

// --- reading --------------------------------------------------------------------------------

template <unsigned bits>
[[gnu::noinline]] const Byte* read_long_varint(const Byte* p, const Byte* end,
                                               std::uint64_t& value) noexcept {
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

// A length, checked against what is left.
inline const Byte* read_length(const Byte* p, const Byte* end, Reading& reading,
                               std::size_t& size) noexcept {
    std::uint64_t value = 0;
    const Byte* const next = read_varint<short_bits>(p, end, value);
    if (next == nullptr) return reading.fail(Reason::bad_varint, p);
    if (value > left(next, end)) return reading.fail(Reason::bad_length, p);
    size = static_cast<std::size_t>(value);
    return next;
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

// Payloads of the fields with one of two tags, in bytes that were checked before: what a view's
// repeated field is. A packed field's payloads lie behind one tag.
class Payloads {
  public:
    Payloads() = default;
    Payloads(const Byte* p, const Byte* end, std::uint32_t tag, std::uint32_t packed_tag) noexcept
        : p_(p), end_(end), tag_(tag), packed_tag_(packed_tag) {}

    // Where the next payload begins; `consumed` tells where it ended.
    const Byte* next() noexcept {
        Reading unused(p_, 0, 0, no_limits);
        while (packed_end_ == nullptr) {
            std::uint32_t tag = 0;
            p_ = read_tag(p_, end_, unused, tag);
            if (tag == tag_) return p_;
            if (tag == packed_tag_) {
                std::size_t size = 0;
                p_ = read_length(p_, end_, unused, size);
                packed_end_ = size == 0 ? nullptr : p_ + size;
            } else {
                p_ = skip(p_, end_, unused, tag);
            }
        }
        return p_;
    }
    void consumed(const Byte* p) noexcept {
        p_ = p;
        if (p == packed_end_) packed_end_ = nullptr;
    }
    const Byte* end() const noexcept { return end_; }

  private:
    const Byte* p_ = nullptr;
    const Byte* end_ = nullptr;
    const Byte* packed_end_ = nullptr;
    std::uint32_t tag_ = 0;
    std::uint32_t packed_tag_ = 0;
};

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

// All scalars of a packed field, behind its length.
template <class Element, class T, Coding coding>
const Byte* read_packed(const Byte* p, const Byte* end, Reading& reading,
                        std::vector<Element>& values) {
    std::size_t size = 0;
    p = read_length(p, end, reading, size);
    if (p == nullptr) return nullptr;
    const Byte* const stop = p + size;
    const std::size_t old = values.size();
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

// The same for a view, which only counts them.
template <class T, Coding coding>
const Byte* count_packed(const Byte* p, const Byte* end, Reading& reading,
                         std::size_t& count) noexcept {
    std::size_t size = 0;
    p = read_length(p, end, reading, size);
    if (p == nullptr) return nullptr;
    const Byte* const stop = p + size;
    if constexpr (coding == Coding::fixed) {
        count = size / sizeof(T);
        return size % sizeof(T) == 0 ? stop : reading.fail(Reason::bad_length, p);
    } else {
        for (; p != stop; ++count) {
            T value{};
            p = read_scalar<T, coding>(p, stop, reading, value);
            if (p == nullptr) return nullptr;
        }
        return p;
    }
}

// What an unknown varint field looked like.
inline void append_varint(std::string& to, std::uint64_t tag, std::uint64_t value) {
    std::array<Byte, 20> buffer;
    Byte* const end = buffer.data() + buffer.size();
    Byte* const p = put_varint(put_varint(end, buffer.data(), value), buffer.data(), tag);
    to.append(p, end);
}

// Readers of a view's repeated fields.
template <class T, Coding coding>
struct ScalarReader {
    using Value = T;
    Payloads payloads;
    void next(T& value) {
        Reading unused(nullptr, 0, 0, no_limits);
        const Byte* const p = payloads.next();
        payloads.consumed(read_scalar<T, coding>(p, payloads.end(), unused, value));
    }
};

struct TextReader {
    using Value = std::string_view;
    Payloads payloads;
    void next(std::string_view& value) {
        Reading unused(nullptr, 0, 0, no_limits);
        const Byte* const p = payloads.next();
        payloads.consumed(read_text(p, payloads.end(), unused, value));
    }
};

// `read` is the generated function that reads a message's view.
template <class View, const Byte* (*read)(View&, const Byte*, const Byte*, Reading&)>
struct MessageReader {
    using Value = View;
    Payloads payloads;
    std::uint32_t group = 0;  // its start tag, 0 if behind a length
    void next(View& value) {
        const auto [p, stop] = locate();
        Reading checked(nullptr, 0, 0, no_limits);
        checked.checked = true;
        value = View{};
        read(value, p, stop, checked);
    }
    void skip() { locate(); }

  private:
    // Where the next message begins and ends; the one behind it is next.
    std::pair<const Byte*, const Byte*> locate() {
        Reading unused(nullptr, 0, 0, no_limits);
        const Byte* p = payloads.next();
        if (group != 0) {
            const Byte* stop = nullptr;
            payloads.consumed(skip_group(p, payloads.end(), unused, group, max_group_depth, stop));
            return {p, stop};
        }
        std::size_t size = 0;
        p = read_length(p, payloads.end(), unused, size);
        payloads.consumed(p + size);
        return {p, p + size};
    }
};

}  // namespace wirecost::protobuf
