// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format, and what views keep of repeated fields.
#pragma once

#include "wirecost/support_protobuf_read.hpp"
#include "wirecost/support_protobuf_write.hpp"

namespace wirecost::protobuf {

// Payloads of the fields with one of two tags, in bytes that were checked before: what a view's
// repeated field is. A packed field's payloads lie behind one tag.
class Payloads {
  public:
    Payloads() = default;
    Payloads(const Byte* p, const Byte* end, std::uint32_t tag, std::uint32_t packed_tag) noexcept
        : p_(p), end_(end), tag_(tag), packed_tag_(packed_tag) {}

    // Where the next payload begins; `consumed` takes where it ended.
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

// All scalars of a packed field are checked and counted.
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
        wirecost::clear(value);
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
