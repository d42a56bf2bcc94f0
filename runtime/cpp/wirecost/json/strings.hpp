// SPDX-License-Identifier: Apache-2.0
// Strings in JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "wirecost/support.hpp"

namespace wirecost::json {

// Between quotes; false if the text is not UTF-8.
inline bool append_string(std::string& out, std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    if (!is_utf8(text)) return false;
    out.push_back('"');
    std::size_t written = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<Byte>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        out.append(text, written, i - written);
        written = i + 1;
        out.push_back('\\');
        switch (c) {
            case '"':
                out.push_back('"');
                break;
            case '\\':
                out.push_back('\\');
                break;
            case '\b':
                out.push_back('b');
                break;
            case '\f':
                out.push_back('f');
                break;
            case '\n':
                out.push_back('n');
                break;
            case '\r':
                out.push_back('r');
                break;
            case '\t':
                out.push_back('t');
                break;
            default:
                out.append("u00");
                out.push_back(hex[c >> 4U]);
                out.push_back(hex[c & 15U]);
        }
    }
    out.append(text, written);
    out.push_back('"');
    return true;
}

inline void append_utf8(std::string& out, std::uint32_t character) {
    const auto add = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (character < 0x80) {
        add(character);
        return;
    }
    if (character < 0x800) {
        add(0xC0U | character >> 6U);
    } else {
        if (character < 0x10000) {
            add(0xE0U | character >> 12U);
        } else {
            add(0xF0U | character >> 18U);
            add(0x80U | (character >> 12U & 0x3FU));
        }
        add(0x80U | (character >> 6U & 0x3FU));
    }
    add(0x80U | (character & 0x3FU));
}

// The four digits behind `\u`.
inline bool read_unit(const char* p, const char* end, std::uint32_t& unit) noexcept {
    if (end - p < 4) return false;
    unit = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = p[i];
        const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (!letter && (c < '0' || c > '9')) return false;
        unit = unit << 4U | static_cast<std::uint32_t>(letter ? (c | 0x20) - 'a' + 10 : c - '0');
    }
    return true;
}

// What stands behind a backslash at `p`, appended to `out`; returns where it ends, null if it is
// no escape.
inline const char* append_escaped(std::string& out, const char* p, const char* end) {
    if (p == end) return nullptr;
    constexpr std::string_view marks = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t at = marks.find(*p); at != std::string_view::npos) {
        out.push_back(meanings[at]);
        return p + 1;
    }
    std::uint32_t unit = 0;
    if (*p != 'u' || !read_unit(p + 1, end, unit)) return nullptr;
    p += 5;
    if (unit >= 0xDC00 && unit < 0xE000) return nullptr;
    if (unit >= 0xD800 && unit < 0xDC00) {
        std::uint32_t second = 0;
        if (end - p < 6 || p[0] != '\\' || p[1] != 'u' || !read_unit(p + 2, end, second) ||
            second < 0xDC00 || second >= 0xE000) {
            return nullptr;
        }
        unit = 0x10000 + ((unit - 0xD800) << 10U) + (second - 0xDC00);
        p += 6;
    }
    append_utf8(out, unit);
    return p;
}

}  // namespace wirecost::json
