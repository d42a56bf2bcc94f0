// SPDX-License-Identifier: Apache-2.0
// The wires that write every field in order: u32 before strings and arrays, values aligned or not.
#pragma once

#include "wirecost/support.hpp"

namespace wirecost::sequential {

constexpr std::size_t max_message = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t header_size = 4;  // CDR's encapsulation header

// Whether a message of `size` bytes without gaps, whose values any bytes are, lies in a holder as
// it does on the wire.
template <class Message, std::size_t size>
constexpr bool is_block =
    sizeof(Message) == size && std::is_trivially_copyable_v<Message> &&
    std::is_standard_layout_v<Message> && std::endian::native == std::endian::little;

// --- writing: the size was checked before ------------------------------------------------------

inline Byte* pad(Byte* p, const Byte* origin, std::size_t alignment) noexcept {
    const std::size_t padding = -left(origin, p) & (alignment - 1);
    std::memset(p, 0, padding);
    return p + padding;
}

inline Byte* put_count(Byte* p, std::size_t count) noexcept {
    return store(p, static_cast<std::uint32_t>(count));
}

template <bool terminated>
Byte* put_text(Byte* p, std::string_view text) noexcept {
    p = store_bytes(put_count(p, text.size() + (terminated ? 1 : 0)), text.data(), text.size());
    if constexpr (terminated) *p++ = 0;
    return p;
}

// The same where there may be too little room for it and what the rest of the message takes.
inline Byte* put_text_within(Byte* p, const Byte* end, std::size_t rest,
                             std::string_view text) noexcept {
    if (left(p, end) < 4 + text.size() + rest) return nullptr;
    return put_text<false>(p, text);
}

// --- reading --------------------------------------------------------------------------------

// Aligns, then sees that `size` bytes are left.
inline const Byte* seek(const Byte* p, const Byte* end, Reading& r, std::size_t alignment,
                        std::size_t size) noexcept {
    const std::size_t padding = -left(r.origin, p) & (alignment - 1);
    if (left(p, end) < padding + size) return r.fail(Reason::truncated, p);
    return p + padding;
}

// A string whose length prefix is known to be there, with `rest` bytes of the message behind it.
template <bool swap, bool terminated>
const Byte* take_text(const Byte* p, const Byte* end, Reading& r, std::size_t rest,
                      std::string_view& text) noexcept {
    std::size_t size = load<std::uint32_t, swap>(p);
    p += 4;
    // A sum: where alignment hides how much is there, less than `rest` may be left.
    if (left(p, end) < size + (terminated ? 0 : rest)) return r.fail(Reason::bad_length, p - 4);
    const Byte* const next = p + size;
    if constexpr (terminated) {
        if (size != 0) {  // some writers send an empty string without its NUL
            if (next[-1] != 0) return r.fail(Reason::bad_length, p - 4);
            --size;
        }
    }
    text = {reinterpret_cast<const char*>(p), size};
    return next;
}

// A count whose prefix is known to be there, of elements that take `minimum` bytes or more.
template <bool swap>
const Byte* take_count(const Byte* p, const Byte* end, Reading& r, std::size_t minimum,
                       std::size_t& count) noexcept {
    count = load<std::uint32_t, swap>(p);
    p += 4;
    const std::size_t most = minimum == 0 ? r.empty_elements : left(p, end) / minimum;
    if (count > most) return r.fail(Reason::bad_length, p - 4);
    if (minimum == 0) r.empty_elements -= count;
    return p;
}

// --- views ----------------------------------------------------------------------------------

// One of an array's strings.
template <std::size_t alignment, bool terminated>
const Byte* read_text(std::string_view& text, const Byte* p, const Byte* end, Reading& r) noexcept {
    p = seek(p, end, r, alignment, 4);
    return p == nullptr ? nullptr : take_text<false, terminated>(p, end, r, 0, text);
}

// Elements behind one another that were checked before. `read` is a generated function.
template <class Element, const Byte* (*read)(Element&, const Byte*, const Byte*, Reading&)>
struct ElementReader {
    using Value = Element;
    const Byte* p = nullptr;
    const Byte* end = nullptr;
    const Byte* origin = nullptr;  // of alignment

    void next(Element& value) {
        Reading checked(origin, 0, 0, no_limits);
        p = read(value, p, end, checked);
    }
};

}  // namespace wirecost::sequential
