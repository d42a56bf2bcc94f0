// SPDX-License-Identifier: Apache-2.0
// Writing Protobuf's wire format, backwards: a writer gets the position behind what is still to be
// written and returns where it begins, nullptr if the buffer is full.
#pragma once

#include "wirecost/support_protobuf_numbers.hpp"

namespace wirecost::protobuf {

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

// The same where there is room, from `p` on.
template <std::size_t N, class T>
void put_fixed_at(Byte* p, std::uint64_t tag, T value) noexcept {
    std::memcpy(p, &tag, N);
    std::memcpy(p + N, &value, sizeof(T));
}

// A number of two bytes or more, or one for which there may be no room.
template <std::size_t N>
[[gnu::noinline]] Byte* put_long_number(Byte* p, const Byte* begin, std::uint64_t tag,
                                        std::uint64_t value) noexcept {
    p = put_varint(p, begin, value);
    return p == nullptr ? nullptr : put_tag<N>(p, begin, tag);
}

template <std::size_t N>
[[gnu::always_inline]] inline Byte* put_number(Byte* p, const Byte* begin, std::uint64_t tag,
                                               std::uint64_t value) noexcept {
    if (value >= 0x80 || left(begin, p) <= N) return put_long_number<N>(p, begin, tag, value);
    *--p = static_cast<Byte>(value);
    return put_tag_unchecked<N>(p, tag);
}

template <std::size_t N>
Byte* put_text(Byte* p, const Byte* begin, std::uint64_t tag, std::string_view value) noexcept {
    if (value.size() < 0x80 && left(begin, p) > value.size() + N) {  // mostly
        p -= value.size();
        store_bytes(p, value.data(), value.size());
        *--p = static_cast<Byte>(value.size());
        return put_tag_unchecked<N>(p, tag);
    }
    const std::size_t prefix = varint_size(value.size());
    if (left(begin, p) < value.size() + prefix + N) return nullptr;
    p -= value.size();
    store_bytes(p, value.data(), value.size());
    return put_tag_unchecked<N>(put_varint(p, p - prefix, value.size()), tag);
}

// The length of what lies between `p` and `end`, and its tag.
template <std::size_t N>
[[gnu::always_inline]] inline Byte* put_head(Byte* p, const Byte* begin, std::uint64_t tag,
                                             const Byte* end) noexcept {
    return put_number<N>(p, begin, tag, left(p, end));
}

inline Byte* put_raw(Byte* p, const Byte* begin, std::string_view bytes) noexcept {
    if (left(begin, p) < bytes.size()) return nullptr;
    p -= bytes.size();
    store_bytes(p, bytes.data(), bytes.size());
    return p;
}

// What an unknown varint field looked like.
template <class Bytes>
void append_varint(Bytes& to, std::uint64_t tag, std::uint64_t value) {
    std::array<Byte, 20> buffer;
    Byte* const end = buffer.data() + buffer.size();
    Byte* const p = put_varint(put_varint(end, buffer.data(), value), buffer.data(), tag);
    to.append(p, end);
}

}  // namespace wirecost::protobuf
