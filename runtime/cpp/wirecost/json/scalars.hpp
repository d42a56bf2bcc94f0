// SPDX-License-Identifier: Apache-2.0
// Numbers and bytes in JSON.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "wirecost/json/error.hpp"
#include "wirecost/support.hpp"

namespace wirecost::json {

// A number as the text has it; empty parts are not there. The views lie in the text.
struct Number {
    std::string_view text;
    std::string_view whole;     // digits, without the sign
    std::string_view fraction;  // digits
    std::string_view exponent;  // digits with their sign

    bool negative() const noexcept { return text.front() == '-'; }
    bool plain() const noexcept { return fraction.empty() && exponent.empty(); }
};

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

inline const char* past_digits(const char* p, const char* end) noexcept {
    while (p != end && is_digit(*p)) ++p;
    return p;
}

inline std::string_view between(const char* p, const char* end) noexcept {
    return {p, static_cast<std::size_t>(end - p)};
}

// Reads a number at the begin of a text; null if there is none, else where it ends.
inline const char* scan(const char* p, const char* end, Number& number) noexcept {
    const char* const begin = p;
    number = {};
    if (p != end && *p == '-') ++p;
    const char* part = p;
    p = past_digits(p, end);
    if (p == part || (*part == '0' && p - part > 1)) return nullptr;
    number.whole = between(part, p);
    if (p != end && *p == '.') {
        part = ++p;
        p = past_digits(p, end);
        if (p == part) return nullptr;
        number.fraction = between(part, p);
    }
    if (p != end && (*p == 'e' || *p == 'E')) {
        part = ++p;
        if (p != end && (*p == '+' || *p == '-')) ++p;
        const char* const digits = p;
        p = past_digits(p, end);
        if (p == digits) return nullptr;
        if (*part == '+') ++part;
        number.exponent = between(part, p);
    }
    number.text = between(begin, p);
    return p;
}

// Whether a text is a number and nothing else.
inline bool is_number(std::string_view text, Number& number) noexcept {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    return scan(begin, end, number) == end;
}

// The power of ten that a number's exponent names, within bounds beyond which it does not matter.
inline std::int64_t power_of(const Number& number) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 40U;
    if (number.exponent.empty()) return 0;
    const bool negative = number.exponent.front() == '-';
    std::int64_t power = 0;
    for (const char c : number.exponent) {
        if (is_digit(c) && power < most) power = power * 10 + (c - '0');
    }
    return negative ? -power : power;
}

// The digit at a place of the whole part and the fraction together.
inline char digit_at(const Number& number, std::size_t place) noexcept {
    const std::size_t whole = number.whole.size();
    return place < whole ? number.whole[place] : number.fraction[place - whole];
}

// The integer that a number is, if it is one of 64 bits: `magnitude` without its sign.
inline bool whole_of(const Number& number, std::uint64_t& magnitude, Reason& reason) noexcept {
    reason = Reason::out_of_range;
    magnitude = 0;
    std::size_t digits = number.whole.size() + number.fraction.size();
    while (digits != 0 && digit_at(number, digits - 1) == '0') --digits;
    if (digits == 0) return true;
    const auto whole = static_cast<std::int64_t>(number.whole.size());
    std::int64_t zeros = whole - static_cast<std::int64_t>(digits) + power_of(number);
    if (zeros < 0) {
        reason = Reason::wrong_type;
        return false;
    }
    const auto append = [&magnitude](unsigned digit) {
        constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        if (magnitude > (most - digit) / 10) return false;
        magnitude = magnitude * 10 + digit;
        return true;
    };
    for (std::size_t i = 0; i < digits; ++i) {
        if (!append(static_cast<unsigned>(digit_at(number, i) - '0'))) return false;
    }
    for (; zeros > 0; --zeros) {
        if (!append(0)) return false;
    }
    return true;
}

template <class T>
bool integer(const Number& number, T& value, Reason& reason) noexcept {
    constexpr std::size_t short_enough = 18;
    std::uint64_t magnitude = 0;
    if (number.plain() && number.whole.size() <= short_enough) {
        for (const char c : number.whole)
            magnitude = magnitude * 10 + static_cast<unsigned>(c - '0');
    } else if (!whole_of(number, magnitude, reason)) {
        return false;
    }
    const bool negative = number.negative() && magnitude != 0;
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const std::uint64_t bound = negative ? (std::is_signed_v<T> ? most + 1 : 0) : most;
    if (magnitude > bound) {
        reason = Reason::out_of_range;
        return false;
    }
    value = static_cast<T>(negative ? std::uint64_t{0} - magnitude : magnitude);
    return true;
}

inline bool real(const Number& number, double& value, Reason& reason) noexcept {
    const char* const begin = number.text.data();
    const auto [_, code] = std::from_chars(begin, begin + number.text.size(), value);
    if (code == std::errc{}) return true;
    // Too large, or too near to zero: the first digit's power of ten says which.
    std::size_t first = 0;
    const std::size_t digits = number.whole.size() + number.fraction.size();
    while (first != digits && digit_at(number, first) == '0') ++first;
    const auto place = static_cast<std::int64_t>(number.whole.size()) -
                       static_cast<std::int64_t>(first) + power_of(number);
    if (first != digits && place > 0) {
        reason = Reason::out_of_range;
        return false;
    }
    value = number.negative() ? -0.0 : 0.0;
    return true;
}

inline bool real(const Number& number, float& value, Reason& reason) noexcept {
    constexpr double too_large = 0x1.ffffffp127;  // from here on the nearest float is infinite
    double found = 0;
    if (!real(number, found, reason)) return false;
    if (std::abs(found) >= too_large) {
        reason = Reason::out_of_range;
        return false;
    }
    value = static_cast<float>(found);
    return true;
}

template <class T>
void append_number(std::string& out, T value) {
    std::array<char, 32> buffer;
    const auto [end, _] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    out.append(buffer.data(), end);
}

inline void append_base64(std::string& out, std::string_view data) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t begin = out.size();
    out.resize(begin + (data.size() + 2) / 3 * 4);
    char* to = out.data() + begin;
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, data.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8U | (k < count ? static_cast<Byte>(data[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            *to++ = k > count ? '=' : letters[bits >> (18 - 6 * k) & 63U];
    }
}

// In either alphabet, with or without padding. `to` has room for three bytes of four characters;
// returns how many bytes there are, or -1.
inline std::ptrdiff_t decode_base64(std::string_view text, char* to) noexcept {
    const auto value_of = [](char c) -> int {
        if (c >= 'A' && c <= 'Z') return c - 'A';
        if (c >= 'a' && c <= 'z') return c - 'a' + 26;
        if (is_digit(c)) return c - '0' + 52;
        if (c == '+' || c == '-') return 62;
        return c == '/' || c == '_' ? 63 : -1;
    };
    std::size_t size = text.size();
    for (int i = 0; i < 2 && size != 0 && text[size - 1] == '='; ++i) --size;
    if (size % 4 == 1 || (size != text.size() && text.size() % 4 != 0)) return -1;
    char* const begin = to;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const int value = value_of(text[i]);
        if (value < 0) return -1;
        bits = bits << 6U | static_cast<std::uint32_t>(value);
        if (i % 4 == 0) continue;
        const std::size_t unused = 6 - 2 * (i % 4);
        *to++ = static_cast<char>(bits >> unused & 255U);
    }
    return to - begin;
}

}  // namespace wirecost::json
