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

// Also says which pool a message's own messages lie in; who has unknown fields has no pool.
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
    ~Unknown() { delete bytes(); }

    std::string_view view() const noexcept {
        return bytes() == nullptr ? std::string_view() : std::string_view(*bytes());
    }
    operator std::string_view() const noexcept { return view(); }
    std::size_t size() const noexcept { return view().size(); }
    bool empty() const noexcept { return view().empty(); }
    void clear() noexcept {
        if (std::string* const kept = bytes()) kept->clear();
    }
    void append(const std::uint8_t* first, const std::uint8_t* last) { text().append(first, last); }
    void append(std::string_view bytes) {
        if (!bytes.empty()) text().append(bytes);
    }
    std::string& text() {
        if (bytes() == nullptr) state_ = address(new std::string);
        return *bytes();
    }
    std::size_t space() const noexcept {
        return bytes() == nullptr ? 0 : sizeof(std::string) + bytes()->capacity();
    }

    bool operator==(const Unknown& other) const noexcept { return view() == other.view(); }

    // Null where there is none. It belongs to the message's place: moved ones leave it.
    Pool* pool() const noexcept {
        return (state_ & pooled) != 0 ? reinterpret_cast<Pool*>(state_ & ~pooled) : nullptr;
    }
    // Of a new message.
    void use(Pool* pool) noexcept {
        state_ = reinterpret_cast<std::uintptr_t>(pool) | (pool != nullptr ? pooled : 0);
    }

  private:
    static constexpr std::uintptr_t pooled = 1;

    static std::uintptr_t address(std::string* bytes) noexcept {
        return reinterpret_cast<std::uintptr_t>(bytes);
    }
    static std::string* copy(const Unknown& other) {
        return other.empty() ? nullptr : new std::string(other.view());
    }
    std::string* bytes() const noexcept {
        return (state_ & pooled) != 0 ? nullptr : reinterpret_cast<std::string*>(state_);
    }
    void take(Unknown& other) noexcept {  // where no bytes are
        if (other.bytes() != nullptr) state_ = std::exchange(other.state_, 0);
    }

    std::uintptr_t state_ = 0;
};

}  // namespace wirecost::api
