// SPDX-License-Identifier: Apache-2.0
// The fields of a message that its schema does not know, as they came. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "wirecost/api/pool.hpp"

namespace wirecost::api {

// Also says which pool a message's own messages lie in. Whoever has unknown fields has no pool of a
// list; an arena stays, as it says who destroys the message.
class Unknown {
  public:
    Unknown() noexcept {}
    Unknown(const Unknown& other) : state_(address(copy(other))) {}
    Unknown(Unknown&& other) noexcept { take(other); }
    Unknown& operator=(const Unknown& other) {
        if (this == &other) return *this;
        if (other.empty())
            clear();
        else
            text() = other.view();
        return *this;
    }
    Unknown& operator=(Unknown&& other) noexcept {
        if (this == &other) return *this;
        clear();
        if (!other.empty()) {
            delete bytes();
            take(other);
        }
        return *this;
    }
    ~Unknown() {
        if ((state_ & bits) == with_bytes)
            delete kept();
        else
            delete bytes();
    }

    std::string_view view() const noexcept {
        return bytes() == nullptr ? std::string_view() : std::string_view(*bytes());
    }
    operator std::string_view() const noexcept { return view(); }
    std::size_t size() const noexcept { return bytes() == nullptr ? 0 : bytes()->size(); }
    bool empty() const noexcept { return bytes() == nullptr || bytes()->empty(); }
    void clear() noexcept {
        if (std::string* const held = bytes()) held->clear();
    }
    void append(const std::uint8_t* first, const std::uint8_t* last) { text().append(first, last); }
    void append(std::string_view bytes) {
        if (!bytes.empty()) text().append(bytes);
    }
    // A message in an arena calls `own` before.
    std::string& text() {
        if (bytes() == nullptr) {
            if (is_in_arena())
                state_ = reinterpret_cast<std::uintptr_t>(new Kept{pool(), {}}) | with_bytes;
            else
                state_ = address(new std::string);
        }
        return *bytes();
    }
    std::size_t space() const noexcept {
        return bytes() == nullptr ? 0 : sizeof(std::string) + bytes()->capacity();
    }

    bool operator==(const Unknown& other) const noexcept { return view() == other.view(); }

    // Null where there is none. It belongs to the message's place: moved ones leave it.
    Pool* pool() const noexcept {
        if ((state_ & pooled) != 0) return reinterpret_cast<Pool*>(state_ & ~bits);
        return (state_ & bits) == with_bytes ? kept()->pool : nullptr;
    }
    bool is_in_arena() const noexcept { return (state_ & in_arena) != 0; }
    Arena* arena() const noexcept { return is_in_arena() ? static_cast<Arena*>(pool()) : nullptr; }
    // Of a new message.
    void use(Pool* pool) noexcept {
        state_ = reinterpret_cast<std::uintptr_t>(pool);
        if (pool != nullptr) state_ |= pool->is_arena() ? pooled | in_arena : pooled;
    }
    // Whether the message is in an arena that does not destroy it.
    bool is_left_to_arena() const noexcept { return (state_ & bits) == (pooled | in_arena); }
    // If `message`, whose unknown fields these are, is in an arena, this destroys it: it is to hold
    // memory from elsewhere.
    template <class M>
    void own(M& message) {
        if (is_left_to_arena()) own_now(message);
    }

  private:
    struct Kept {
        Pool* pool;
        std::string bytes;
    };
    // Without bits it is the address of a string; with this one alone, of what is kept.
    static constexpr std::uintptr_t pooled = 1, in_arena = 2, owned = 4, with_bytes = in_arena;
    static constexpr std::uintptr_t bits = pooled | in_arena | owned;
    static_assert(alignof(Pool) > bits && alignof(Kept) > bits);

    template <class M>
    [[gnu::noinline]] void own_now(M& message) {
        message.wirecost_keep();
        pool()->at_end(&message, [](void* owned) { static_cast<M*>(owned)->~M(); });
        state_ |= owned;
    }
    static std::uintptr_t address(std::string* bytes) noexcept {
        return reinterpret_cast<std::uintptr_t>(bytes);
    }
    static std::string* copy(const Unknown& other) {
        return other.empty() ? nullptr : new std::string(other.view());
    }
    Kept* kept() const noexcept { return reinterpret_cast<Kept*>(state_ & ~bits); }
    std::string* bytes() const noexcept {
        if (state_ == 0 || (state_ & pooled) != 0) return nullptr;  // mostly
        return (state_ & bits) == 0 ? reinterpret_cast<std::string*>(state_) : &kept()->bytes;
    }
    void take(Unknown& other) noexcept {  // where no bytes are
        if (other.bytes() != nullptr) state_ = std::exchange(other.state_, 0);
    }

    std::uintptr_t state_ = 0;
};

}  // namespace wirecost::api
