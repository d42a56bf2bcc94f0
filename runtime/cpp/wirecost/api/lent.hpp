// SPDX-License-Identifier: Apache-2.0
// Texts of messages that lie in an arena. C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "wirecost/api/pool.hpp"

namespace wirecost::api {

// Bytes for which a std::string takes no memory, in every library.
constexpr std::size_t short_text = 15;

// What GNU's std::string begins with when its bytes lie elsewhere.
struct TextParts {
    char* data;
    std::size_t size;
    std::size_t capacity;
};
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
constexpr bool can_lend = sizeof(std::string) == sizeof(TextParts) + sizeof(void*);
#else
constexpr bool can_lend = false;
#endif

// Sets a text whose bytes an arena has. It can be read, set by this function again and cleared, and
// is not destroyed: whoever may make it grow calls `keep` before.
inline void lend(std::string& text, std::string_view value, Pool& arena) {
    if (value.size() <= text.capacity()) {
        text.assign(value);
        return;
    }
    // Twice what it had, so that a message that stays takes a bounded part of the arena.
    const std::size_t capacity = std::max(value.size(), 2 * text.capacity());
    auto* const bytes = static_cast<char*>(arena.room(capacity + 1));
    std::memcpy(bytes, value.data(), value.size());
    bytes[value.size()] = '\0';
    const TextParts parts{bytes, value.size(), capacity};
    std::memcpy(static_cast<void*>(&text), &parts, sizeof parts);
}

// Gives a text its own bytes if it has an arena's.
inline void keep(std::string& text) {
    if (text.capacity() <= short_text) return;
    std::string kept(text);
    new (&text) std::string(std::move(kept));
}

// Sets a text of a message's field.
template <class M>
void set_text(std::string& text, std::string_view value, M& message) {
    auto& unknown = message.wirecost_fields().unknown_fields;
    if (can_lend && unknown.is_left_to_arena()) return lend(text, value, *unknown.pool());
    if (value.size() > short_text) message.wirecost_own();
    text.assign(value);
}

}  // namespace wirecost::api
