// SPDX-License-Identifier: Apache-2.0
// What generated codecs share: errors as values, the bytes of the wires, views.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "wirecost/support_holders.hpp"

namespace wirecost {

static_assert(std::endian::native == std::endian::little, "a little-endian machine is needed");

// --- errors ---------------------------------------------------------------------------------

enum class Reason : std::uint8_t {
    none,
    buffer_too_small,
    too_large,
    truncated,
    bad_length,
    bad_tag,
    bad_varint,
    bad_utf8,
    bad_header,
    bad_choice,
    bad_group,
    trailing_bytes,
    missing_required,
    over_capacity,
    nested_too_deep,
    too_much_memory,
    split_message,
};

constexpr const char* text(Reason reason) noexcept {
    constexpr std::array<const char*, 17> texts{
        "no error",
        "the buffer is too small for the message",
        "the message is larger than the wire can carry",
        "the message ends too early",
        "a length reaches beyond the message",
        "a field's tag is not valid",
        "a varint is too long or cut off",
        "a string is not UTF-8",
        "the encapsulation header is not known",
        "a oneof names a field it does not have",
        "a group does not end with its own end tag",
        "bytes follow the message",
        "a required field is missing",
        "a bounded field holds more than its bound",
        "messages are nested too deep",
        "the message asks for too much memory",
        "a sub-message comes in two parts, which a view cannot join: decode it instead",
    };
    return texts[static_cast<std::size_t>(reason)];
}

// Contextually true if something is wrong. `position` counts bytes from the begin of the input.
struct Error {
    Reason reason = Reason::none;
    std::size_t position = 0;

    explicit operator bool() const noexcept { return reason != Reason::none; }
    const char* what() const noexcept { return text(reason); }
};

// The part of the caller's buffer that holds the message; nothing if `error`.
struct Encoded {
    std::span<std::byte> bytes;
    Error error;
};

// What a hostile message may cost: decoders stop before they go beyond.
struct Limits {
    int depth = 100;                              // of messages in the outermost one
    std::size_t memory = std::size_t{64} << 20U;  // of repeated messages and strings, bytes
    std::size_t empty_elements = 65'536;          // that take no bytes, of all arrays together
    bool utf8 = false;                            // must every string be UTF-8, on any wire

    // What each byte of input may ask for besides.
    static constexpr std::size_t free_memory = 64;
};

// --- bytes ----------------------------------------------------------------------------------

template <class T>
T swapped(T value) noexcept {
    auto bytes = std::bit_cast<std::array<Byte, sizeof(T)>>(value);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

template <class T, bool swap = false>
T load(const Byte* p) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return *p != 0;
    } else {
        T value;
        std::memcpy(&value, p, sizeof value);
        return swap && sizeof(T) > 1 ? swapped(value) : value;
    }
}

template <class T>
Byte* store(Byte* p, T value) noexcept {
    std::memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

// Fixed-width elements of type T from the wire; bool elements become 0 or 1.
template <class T, bool swap, class Stored>
void load_array(Stored* to, const Byte* p, std::size_t count) noexcept {
    static_assert(sizeof(T) == sizeof(Stored));
    if constexpr (std::is_same_v<T, bool> || (swap && sizeof(T) > 1)) {
        for (std::size_t i = 0; i < count; ++i)
            to[i] = static_cast<Stored>(load<T, swap>(p + i * sizeof(T)));
    } else if (count != 0) {
        std::memcpy(to, p, count * sizeof(T));
    }
}

inline Byte* store_bytes(Byte* p, const void* from, std::size_t size) noexcept {
    copy_bytes(p, from, size);
    return p + size;
}

constexpr std::size_t aligned(std::size_t position, std::size_t alignment) noexcept {
    return (position + alignment - 1) & ~(alignment - 1);
}

inline bool is_utf8(std::string_view text) noexcept {
    const auto* p = reinterpret_cast<const Byte*>(text.data());
    const Byte* const end = p + text.size();
    while (p != end) {
        while (end - p >= 8 && (load<std::uint64_t>(p) & 0x8080808080808080U) == 0) p += 8;
        if (p == end) break;
        if (*p < 0x80) {
            ++p;
            continue;
        }
        const int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : 1;
        if (*p < 0xC2 || *p > 0xF4 || end - p <= more) return false;
        const Byte second = p[1];
        const bool fits = (*p != 0xE0 || second >= 0xA0) && (*p != 0xED || second < 0xA0) &&
                          (*p != 0xF0 || second >= 0x90) && (*p != 0xF4 || second < 0x90);
        for (int i = 1; i <= more; ++i) {
            if ((p[i] & 0xC0U) != 0x80) return false;
        }
        if (!fits) return false;
        p += more + 1;
    }
    return true;
}

// What was checked before is read again without limits.
constexpr Limits no_limits{std::numeric_limits<int>::max(), std::numeric_limits<std::size_t>::max(),
                           std::numeric_limits<std::size_t>::max(), false};

// What a decoder carries along. A read function returns the next position, nullptr on error.
struct Reading {
    const Byte* begin;
    const Byte* origin;  // of alignment
    int depth;
    std::size_t memory;
    std::size_t empty_elements;
    bool utf8;
    bool checked = false;  // a view's bytes, read before: elements need only be counted
    Error error{};

    Reading(const Byte* first, std::size_t header, std::size_t size, const Limits& limits) noexcept
        : begin(first),
          origin(first + header),
          depth(limits.depth),
          memory(limits.memory + size * Limits::free_memory),
          empty_elements(limits.empty_elements),
          utf8(limits.utf8) {}

    [[gnu::cold, gnu::noinline]] const Byte* fail(Reason reason, const Byte* at) noexcept {
        error = {reason, static_cast<std::size_t>(at - begin)};
        return nullptr;
    }
    bool take(std::size_t bytes) noexcept {
        if (bytes > memory) return false;
        memory -= bytes;
        return true;
    }
};

// Of holders' fields, and of those that count in int.
template <class Elements>
std::size_t length(const Elements& elements) noexcept {
    return static_cast<std::size_t>(elements.size());
}

inline std::size_t left(const Byte* p, const Byte* end) noexcept {
    return static_cast<std::size_t>(end - p);
}

// --- views ----------------------------------------------------------------------------------

// Fixed-width elements in the buffer, aligned or not.
template <class T>
class ArrayView {
  public:
    ArrayView() = default;
    ArrayView(const Byte* data, std::size_t size) noexcept : data_(data), size_(size) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    void clear() noexcept { size_ = 0; }
    T operator[](std::size_t i) const noexcept { return load<T>(data_ + i * sizeof(T)); }
    std::span<const std::byte> bytes() const noexcept {
        return {reinterpret_cast<const std::byte*>(data_), size_ * sizeof(T)};
    }

  private:
    const Byte* data_ = nullptr;
    std::size_t size_ = 0;
};

// A forward range over what `Reader::next(position)` finds in bytes that were checked before.
template <class Reader>
class RangeView {
  public:
    using Value = typename Reader::Value;

    class iterator {
      public:
        using value_type = Value;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using pointer = const Value*;
        using reference = const Value&;

        iterator() = default;
        iterator(const Reader& reader, std::size_t remaining)
            : reader_(reader), remaining_(remaining) {
            read();
        }
        const Value& operator*() const noexcept { return value_; }
        const Value* operator->() const noexcept { return &value_; }
        iterator& operator++() {
            --remaining_;
            read();
            return *this;
        }
        void operator++(int) { ++*this; }
        // As ++, that often, without reading what lies between; at most to the end.
        iterator& operator+=(std::size_t count) {
            if (count == 0) return *this;
            remaining_ -= count;
            for (; count > 1; --count) {
                if constexpr (requires { reader_.skip(); })
                    reader_.skip();
                else
                    reader_.next(value_);
            }
            read();
            return *this;
        }
        bool operator==(const iterator& other) const noexcept {
            return remaining_ == other.remaining_;
        }

      private:
        void read() {
            if (remaining_ != 0) reader_.next(value_);
        }

        Reader reader_{};
        std::size_t remaining_ = 0;
        Value value_{};
    };

    RangeView() = default;
    RangeView(Reader reader, std::size_t size) : reader_(reader), size_(size) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    void clear() noexcept { size_ = 0; }
    // All of them, read into elements that are used again.
    template <class Allocator>
    void to(std::vector<Value, Allocator>& out) const {
        out.resize(size_);
        Reader reader(reader_);
        for (Value& value : out) reader.next(value);
    }
    iterator begin() const { return iterator(reader_, size_); }
    iterator end() const { return iterator(); }

  private:
    Reader reader_{};
    std::size_t size_ = 0;
};

}  // namespace wirecost
