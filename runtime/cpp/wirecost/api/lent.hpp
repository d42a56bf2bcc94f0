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

// Room for a text whose bytes an arena has. It can be read, set by `set_text` and cleared, and is
// not destroyed: whoever may make it grow calls `keep` before.
[[gnu::noinline]] inline char* lend(std::string& text, std::size_t size, Pool& arena) {
    // Twice what it had, so that a message that stays takes a bounded part of the arena.
    const std::size_t capacity = std::max(size, 2 * text.capacity());
    const TextParts parts{static_cast<char*>(arena.room(capacity + 1)), 0, capacity};
    std::memcpy(static_cast<void*>(&text), &parts, sizeof parts);
    return parts.data;
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
    const std::size_t size = value.size();
    if (can_lend && unknown.is_left_to_arena()) {
        char* const bytes =
            size <= text.capacity() ? text.data() : lend(text, size, *unknown.pool());
        std::memmove(bytes, value.data(), size);
        bytes[size] = '\0';
        std::memcpy(reinterpret_cast<char*>(&text) + offsetof(TextParts, size), &size, sizeof size);
    } else {
        if (size > short_text) message.wirecost_own();
        text.assign(value);
    }
}

}  // namespace wirecost::api
