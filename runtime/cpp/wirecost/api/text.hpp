// SPDX-License-Identifier: Apache-2.0
// Messages in Protobuf's text format, as DebugString() gives it.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "wirecost/api/message.hpp"
#include "wirecost/support_protobuf_read.hpp"

namespace wirecost::api {

class TextPrinter {
  public:
    struct Style {
        bool in_one_line = false;
        bool utf8 = false;  // what is beyond ASCII is printed as it is
    };

    static std::string printed(const MessageLite& message, Style style) {
        TextPrinter printer(style);
        message.wirecost_print(printer);
        if (style.in_one_line && !printer.text_.empty()) printer.text_.pop_back();
        return std::move(printer.text_);
    }

    template <class T>
    void number(std::string_view name, T value) {
        begin(name);
        if constexpr (std::is_same_v<T, bool>) {
            text_ += value ? ": true" : ": false";
        } else if constexpr (std::is_floating_point_v<T>) {
            text_ += ": ";
            real(value);
        } else {
            text_ += ": " + std::to_string(value);
        }
        end();
    }
    // `known`: its name, empty if the schema has none.
    void enumerator(std::string_view name, std::string_view known, int value) {
        if (known.empty()) return number(name, value);
        begin(name);
        text_ += ": ";
        text_ += known;
        end();
    }
    void text(std::string_view name, std::string_view value) {
        begin(name);
        text_ += ": \"";
        for (const char c : value) escaped(c);
        text_ += '"';
        end();
    }
    void message(std::string_view name, const MessageLite& value) {
        open(name);
        value.wirecost_print(*this);
        close();
    }
    void open(std::string_view name) {
        begin(name);
        text_ += " {";
        end();
        ++depth_;
    }
    void close() {
        --depth_;
        begin("}");
        end();
    }
    // Fields by their numbers: what has a length as messages where it can be one.
    void unknown(std::string_view bytes, int depth = protobuf::max_skipped_depth) {
        const auto* p = reinterpret_cast<const Byte*>(bytes.data());
        fields(p, p + bytes.size(), depth);
    }

  private:
    explicit TextPrinter(Style style) : style_(style) {}

    void begin(std::string_view name) {
        if (!style_.in_one_line) text_.append(2 * static_cast<std::size_t>(depth_), ' ');
        text_ += name;
    }
    void end() { text_ += style_.in_one_line ? ' ' : '\n'; }

    template <class T>
    void real(T value) {
        constexpr int enough = std::numeric_limits<T>::digits10;
        constexpr int all = enough + (std::is_same_v<T, float> ? 3 : 2);
        if (value != value) {
            text_ += "nan";
            return;
        }
        std::array<char, 40> buffer{};
        std::snprintf(buffer.data(), buffer.size(), "%.*g", enough, static_cast<double>(value));
        T back{};
        std::from_chars(buffer.data(), buffer.data() + buffer.size(), back);
        if (back != value)
            std::snprintf(buffer.data(), buffer.size(), "%.*g", all, static_cast<double>(value));
        text_ += buffer.data();
    }
    void escaped(char c) {
        switch (c) {
            case '\n':
                text_ += "\\n";
                return;
            case '\r':
                text_ += "\\r";
                return;
            case '\t':
                text_ += "\\t";
                return;
            case '"':
                text_ += "\\\"";
                return;
            case '\'':
                text_ += "\\'";
                return;
            case '\\':
                text_ += "\\\\";
                return;
            default:
                break;
        }
        const auto byte = static_cast<unsigned char>(c);
        if ((byte >= 0x20 && byte < 0x7F) || (style_.utf8 && byte >= 0x80)) {
            text_ += c;
            return;
        }
        std::array<char, 5> octal{};
        std::snprintf(octal.data(), octal.size(), "\\%03o", byte);
        text_ += octal.data();
    }

    static bool is_whole(const Byte* p, const Byte* end, int depth) {
        Reading reading(p, 0, 0, no_limits);
        while (p != end) {
            std::uint32_t tag = 0;
            p = protobuf::read_tag(p, end, reading, tag);
            if (p != nullptr) p = protobuf::skip(p, end, reading, tag, depth);
            if (p == nullptr) return false;
        }
        return true;
    }
    void fields(const Byte* p, const Byte* end, int depth) {
        Reading reading(p, 0, 0, no_limits);
        while (p != nullptr && p != end) {
            std::uint32_t tag = 0;
            p = protobuf::read_tag(p, end, reading, tag);
            if (p != nullptr) p = field(p, end, reading, tag, depth);
        }
    }
    const Byte* field(const Byte* p, const Byte* end, Reading& reading, std::uint32_t tag,
                      int depth) {
        const std::string name = std::to_string(tag >> 3U);
        const Byte* const next = protobuf::skip(p, end, reading, tag, depth);
        if (next == nullptr) return nullptr;
        switch (tag & 7U) {
            case protobuf::varint: {
                std::uint64_t value = 0;
                protobuf::varint_field(p, end, reading, value);
                number(name, value);
                break;
            }
            case protobuf::i64:
                hexadecimal(name, "0x%016llx", load<std::uint64_t>(p));
                break;
            case protobuf::i32:
                hexadecimal(name, "0x%08llx", load<std::uint32_t>(p));
                break;
            case protobuf::len: {
                std::string_view content;
                protobuf::read_text(p, end, reading, content);
                const Byte* const from = next - content.size();
                if (depth > 0 && !content.empty() && is_whole(from, next, depth)) {
                    open(name);
                    fields(from, next, depth - 1);
                    close();
                } else {
                    text(name, content);
                }
                break;
            }
            default: {
                const Byte* stop = nullptr;
                protobuf::skip_group(p, end, reading, tag, depth, stop);
                open(name);
                fields(p, stop, depth - 1);
                close();
            }
        }
        return next;
    }
    void hexadecimal(std::string_view name, const char* form, unsigned long long value) {
        std::array<char, 24> buffer{};
        std::snprintf(buffer.data(), buffer.size(), form, value);
        begin(name);
        text_ += ": ";
        text_ += buffer.data();
        end();
    }

    Style style_;
    std::string text_;
    int depth_ = 0;
};

}  // namespace wirecost::api
