// SPDX-License-Identifier: Apache-2.0
// Single values of JSON: texts, numbers and values of enums, straight into the holders.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "wirecost/json/input.hpp"
#include "wirecost/json/table.hpp"

namespace wirecost::json {

struct ReadOptions {
    bool ignore_unknown = false;   // skip fields and values of enums that the schema does not know
    const Types* types = nullptr;  // of the messages that an Any may hold
};

class ValueReader {
  protected:
    enum class Found : std::uint8_t { wrong, value, skipped };
    static Found as_found(bool fine) noexcept { return fine ? Found::value : Found::wrong; }

    ValueReader(std::string_view text, const ReadOptions& options) noexcept
        : in_(text), options_(options) {}

    bool key(const Field& field, void* key, std::string_view name, const char* at) {
        if (field.key == Kind::string) {
            field.text->assign(key, name);
            return true;
        }
        if (field.key == Kind::boolean) {
            store(static_cast<Byte*>(key), static_cast<Byte>(name == "true" ? 1 : 0));
            return name == "true" || name == "false" || in_.fail(Reason::wrong_type, at);
        }
        Number number;
        if (!is_number(name, number)) return in_.fail(Reason::wrong_type, at);
        return number_into(field.key, key, number, at);
    }

    bool text(const Field& field, void* value) {
        std::string_view text;
        const char* const start = (in_.peek(), in_.position());
        if (!in_.string(text, scratch_)) return false;
        if (field.kind == Kind::bytes) {
            decoded_.resize(text.size() / 4 * 3 + 3);
            const std::ptrdiff_t size = decode_base64(text, decoded_.data());
            if (size < 0) return in_.fail(Reason::bad_base64, start);
            text = std::string_view(decoded_).substr(0, static_cast<std::size_t>(size));
        }
        if (text.size() > field.text_capacity) return in_.fail(Reason::over_capacity, start);
        field.text->assign(value, text);
        return true;
    }

    bool boolean(void* value) {
        const bool found = in_.take_word("true");
        if (!found && !in_.take_word("false")) return in_.fail(in_.wrong());
        store(static_cast<Byte*>(value), static_cast<Byte>(found ? 1 : 0));
        return true;
    }

    bool number(Kind kind, void* value) {
        const char* const start = (in_.peek(), in_.position());
        Number number;
        if (in_.peek() != '"') {
            return in_.number(number) && number_into(kind, value, number, start);
        }
        std::string_view text;
        if (!in_.string(text, scratch_)) return false;
        if (kind == Kind::float32 && special(text, *static_cast<float*>(value))) return true;
        if (kind == Kind::float64 && special(text, *static_cast<double*>(value))) return true;
        if (!is_number(text, number)) return in_.fail(Reason::wrong_type, start);
        return number_into(kind, value, number, start);
    }

    template <class T>
    static bool special(std::string_view text, T& value) {
        if (text == "NaN") {
            value = std::numeric_limits<T>::quiet_NaN();
        } else if (text == "Infinity") {
            value = std::numeric_limits<T>::infinity();
        } else if (text == "-Infinity") {
            value = -std::numeric_limits<T>::infinity();
        } else {
            return false;
        }
        return true;
    }

    template <class T>
    bool put(void* value, const Number& number, const char* at) {
        T found{};
        Reason reason = Reason::out_of_range;
        bool fine = false;
        if constexpr (std::is_floating_point_v<T>) {
            fine = json::real(number, found, reason);
        } else {
            fine = integer(number, found, reason);
        }
        if (!fine) return in_.fail(reason, at);
        store(static_cast<Byte*>(value), found);
        return true;
    }

    bool number_into(Kind kind, void* value, const Number& number, const char* at) {
        switch (kind) {
            case Kind::int8:
                return put<std::int8_t>(value, number, at);
            case Kind::uint8:
                return put<std::uint8_t>(value, number, at);
            case Kind::int16:
                return put<std::int16_t>(value, number, at);
            case Kind::uint16:
                return put<std::uint16_t>(value, number, at);
            case Kind::int32:
                return put<std::int32_t>(value, number, at);
            case Kind::uint32:
                return put<std::uint32_t>(value, number, at);
            case Kind::int64:
                return put<std::int64_t>(value, number, at);
            case Kind::uint64:
                return put<std::uint64_t>(value, number, at);
            case Kind::float32:
                return put<float>(value, number, at);
            default:
                return put<double>(value, number, at);
        }
    }

    Found enumeration(const Field& field, std::int32_t& number) {
        if (field.kind == Kind::null && in_.take_word("null")) return Found::value;
        const Enum& type = field.enumeration();
        const char* const start = (in_.peek(), in_.position());
        Number found;
        if (in_.peek() == '"') {
            std::string_view name;
            if (!in_.string(name, scratch_)) return Found::wrong;
            if (const EnumValue* const known = type.find(name)) {
                number = known->number;
                return Found::value;
            }
            if (!is_number(name, found)) return unknown_value(start);
        } else if (!in_.number(found)) {
            return Found::wrong;
        }
        if (!number_into(Kind::int32, &number, found, start)) return Found::wrong;
        const bool declared = !type.closed || type.find(number) != nullptr;
        return declared ? Found::value : unknown_value(start);
    }

    Found unknown_value(const char* at) {
        return options_.ignore_unknown ? Found::skipped
                                       : as_found(in_.fail(Reason::unknown_value, at));
    }

    Input in_;
    const ReadOptions& options_;
    std::string scratch_;  // a string without its escapes
    std::string decoded_;
};

}  // namespace wirecost::json
