// SPDX-License-Identifier: Apache-2.0
// Texts of times, durations and paths of field masks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "wirecost/json/scalars.hpp"

namespace wirecost::json {

constexpr std::int64_t first_second = -62'135'596'800;  // of the year 1, counted from 1970
constexpr std::int64_t last_second = 253'402'300'799;   // of the year 9999
constexpr std::int64_t longest = 315'576'000'000;       // seconds of 10,000 years
constexpr std::int32_t giga = 1'000'000'000;
constexpr std::int64_t day_seconds = 86'400;

struct Moment {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
};

// `count` digits, with zeros in front.
inline void append_digits(std::string& out, std::int64_t value, int count) {
    std::array<char, 20> digits;
    for (int i = count; i-- > 0; value /= 10) {
        digits[static_cast<std::size_t>(i)] = static_cast<char>('0' + value % 10);
    }
    out.append(digits.data(), static_cast<std::size_t>(count));
}

// Nothing, or three, six or nine digits.
inline void append_fraction(std::string& out, std::int32_t nanos) {
    if (nanos == 0) return;
    out.push_back('.');
    if (nanos % 1'000'000 == 0) return append_digits(out, nanos / 1'000'000, 3);
    if (nanos % 1'000 == 0) return append_digits(out, nanos / 1'000, 6);
    append_digits(out, nanos, 9);
}

// Days since 1970-01-01; years are counted from March, so that February ends them.
constexpr std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) noexcept {
    year -= month < 3 ? 1 : 0;
    const std::int64_t in_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + day - 1;
    return year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719'468;
}

inline bool append_timestamp(std::string& out, Moment moment) {
    const auto [seconds, nanos] = moment;
    if (seconds < first_second || seconds > last_second || nanos < 0 || nanos >= giga) return false;
    const std::int64_t since = seconds - first_second;  // not negative
    const std::int64_t second = since % day_seconds;
    // A cycle of 400 years has 146,097 days; the year 1 begins 306 days behind the first March.
    const std::int64_t days = since / day_seconds + 306;
    const std::int64_t era = days / 146'097;
    const std::int64_t in_era = days % 146'097;
    const std::int64_t in_cycle =
        (in_era - in_era / 1'460 + in_era / 36'524 - in_era / 146'096) / 365;
    const std::int64_t in_year = in_era - (365 * in_cycle + in_cycle / 4 - in_cycle / 100);
    const std::int64_t shifted = (5 * in_year + 2) / 153;
    const std::int64_t month = shifted + (shifted < 10 ? 3 : -9);
    out.push_back('"');
    append_digits(out, era * 400 + in_cycle + (month < 3 ? 1 : 0), 4);
    out.push_back('-');
    append_digits(out, month, 2);
    out.push_back('-');
    append_digits(out, in_year - (153 * shifted + 2) / 5 + 1, 2);
    out.push_back('T');
    append_digits(out, second / 3600, 2);
    out.push_back(':');
    append_digits(out, second / 60 % 60, 2);
    out.push_back(':');
    append_digits(out, second % 60, 2);
    append_fraction(out, nanos);
    out.append("Z\"");
    return true;
}

// Takes parts of a text from its front.
class Front {
  public:
    explicit Front(std::string_view text) noexcept : text_(text) {}

    bool take(char c) noexcept {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    // `least` to `most` digits, which are at most 18.
    bool number(std::size_t least, std::size_t most, std::int64_t& value) noexcept {
        value = 0;
        digits_ = 0;
        for (; digits_ < most && !text_.empty() && is_digit(text_.front()); ++digits_) {
            value = value * 10 + (text_.front() - '0');
            text_.remove_prefix(1);
        }
        return digits_ >= least;
    }
    // A point and up to nine digits, or nothing.
    bool nanos(std::int32_t& value) noexcept {
        std::int64_t found = 0;
        if (take('.')) {
            if (!number(1, 9, found)) return false;
            for (; digits_ < 9; ++digits_) found *= 10;
        }
        value = static_cast<std::int32_t>(found);
        return true;
    }
    bool empty() const noexcept { return text_.empty(); }

  private:
    std::string_view text_;
    std::size_t digits_ = 0;
};

inline bool read_timestamp(std::string_view text, Moment& moment) noexcept {
    constexpr std::array<int, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    Front front(text);
    std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    const bool read = front.number(4, 4, year) && front.take('-') && front.number(2, 2, month) &&
                      front.take('-') && front.number(2, 2, day) && front.take('T') &&
                      front.number(2, 2, hour) && front.take(':') && front.number(2, 2, minute) &&
                      front.take(':') && front.number(2, 2, second) && front.nanos(moment.nanos);
    if (!read) return false;
    std::int64_t offset_hour = 0, offset_minute = 0, sign = 0;
    if (!front.take('Z')) {
        sign = front.take('+') ? -1 : 1;
        if (sign > 0 && !front.take('-')) return false;
        if (!front.number(2, 2, offset_hour) || !front.take(':') ||
            !front.number(2, 2, offset_minute)) {
            return false;
        }
    }
    const bool leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (!front.empty() || month < 1 || month > 12 || day < 1 ||
        day > lengths[static_cast<std::size_t>(month - 1)] + (leap ? 1 : 0) || hour > 23 ||
        offset_hour > 23 || std::max({minute, second, offset_minute}) > 59) {
        return false;
    }
    moment.seconds = days_of(year, month, day) * day_seconds + hour * 3600 + minute * 60 + second +
                     sign * (offset_hour * 3600 + offset_minute * 60);
    return moment.seconds >= first_second && moment.seconds <= last_second;
}

inline bool append_duration(std::string& out, Moment moment) {
    const auto [seconds, nanos] = moment;
    if (seconds < -longest || seconds > longest || nanos <= -giga || nanos >= giga ||
        (seconds < 0 && nanos > 0) || (seconds > 0 && nanos < 0)) {
        return false;
    }
    out.push_back('"');
    if (seconds < 0 || nanos < 0) out.push_back('-');
    append_number(out, seconds < 0 ? -seconds : seconds);
    append_fraction(out, nanos < 0 ? -nanos : nanos);
    out.append("s\"");
    return true;
}

inline bool read_duration(std::string_view text, Moment& moment) noexcept {
    Front front(text);
    const bool negative = front.take('-');
    if (!front.number(1, 12, moment.seconds) || !front.nanos(moment.nanos) || !front.take('s') ||
        !front.empty() || moment.seconds > longest) {
        return false;
    }
    if (negative) moment = {-moment.seconds, -moment.nanos};
    return true;
}

// A path in lowerCamelCase; false if the text would not be read as this path again.
inline bool append_path(std::string& out, std::string_view path) {
    bool raised = false;  // behind an underscore
    for (const char c : path) {
        if (raised && (c < 'a' || c > 'z')) return false;
        if ((c >= 'A' && c <= 'Z') || c == ',') return false;
        if (c != '_') out.push_back(raised ? static_cast<char>(c - 'a' + 'A') : c);
        raised = c == '_';
    }
    return !raised;
}

// The reverse, into `out`.
inline bool read_path(std::string_view text, std::string& out) {
    out.clear();
    for (const char c : text) {
        if (c == '_') return false;
        if (c >= 'A' && c <= 'Z') {
            out.push_back('_');
            out.push_back(static_cast<char>(c - 'A' + 'a'));
        } else {
            out.push_back(c);
        }
    }
    return true;
}

}  // namespace wirecost::json
