// SPDX-License-Identifier: Apache-2.0
// A JSON text, from which its parts are taken one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wirecost/json/error.hpp"
#include "wirecost/json/scalars.hpp"
#include "wirecost/json/strings.hpp"

namespace wirecost::json {

// Functions return false where something is wrong; `error` then says what and where.
class Input {
  public:
    explicit Input(std::string_view text) noexcept
        : begin_(text.data()), p_(begin_), end_(begin_ + text.size()) {}

    const Error& error() const noexcept { return error_; }
    const char* position() const noexcept { return p_; }
    void go_to(const char* p) noexcept { p_ = p; }

    [[gnu::cold, gnu::noinline]] bool fail(Reason reason, const char* at) noexcept {
        if (!error_) error_ = {reason, static_cast<std::size_t>(at - begin_)};
        return false;
    }
    bool fail(Reason reason) noexcept { return fail(reason, p_); }

    // The next character that is no blank; NUL at the end.
    char peek() noexcept {
        while (p_ != end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
        return p_ == end_ ? '\0' : *p_;
    }
    // Takes a mark that must be next, or that may be.
    bool take(char mark) noexcept { return take_if(mark) || fail(Reason::not_json); }
    bool take_if(char mark) noexcept {
        if (peek() != mark || p_ == end_) return false;
        ++p_;
        return true;
    }
    bool ends() noexcept { return (peek() == '\0' && p_ == end_) || fail(Reason::not_json); }

    // Whether the next value is this word, which is then taken.
    bool take_word(std::string_view word) noexcept {
        peek();
        if (!between(p_, end_).starts_with(word)) return false;
        p_ += word.size();
        return true;
    }

    // A string: what is between its quotes, or without escapes, in `scratch`.
    bool string(std::string_view& text, std::string& scratch) {
        if (peek() != '"') return fail(wrong());
        const char* const start = p_ + 1;
        const char* p = start;
        while (p != end_ && *p != '"' && *p != '\\' && static_cast<Byte>(*p) >= 0x20) ++p;
        if (p != end_ && *p == '"') {
            text = between(start, p);
            p_ = p + 1;
            return true;
        }
        scratch.assign(start, p);
        while (p != end_ && *p != '"') {
            if (static_cast<Byte>(*p) < 0x20) return fail(Reason::not_json, p);
            if (*p != '\\') {
                scratch.push_back(*p++);
            } else if (const char* const next = append_escaped(scratch, p + 1, end_);
                       next != nullptr) {
                p = next;
            } else {
                return fail(Reason::bad_escape, p);
            }
        }
        if (p == end_) return fail(Reason::not_json, p);
        text = scratch;
        p_ = p + 1;
        return true;
    }

    bool number(Number& found) noexcept {
        peek();
        const char* const behind = scan(p_, end_, found);
        if (behind == nullptr) return fail(wrong());
        p_ = behind;
        return true;
    }

    // Any value; `levels` more arrays and objects may be opened.
    bool skip(int levels, std::string& scratch) {
        switch (peek()) {
            case '"': {
                std::string_view text;
                return string(text, scratch);
            }
            case '[':
            case '{':
                return levels > 0 ? skip_inside(levels - 1, scratch)
                                  : fail(Reason::nested_too_deep);
            default:
                break;
        }
        if (take_word("null") || take_word("true") || take_word("false")) return true;
        Number number;
        return this->number(number);
    }

    // What is wrong where a value of some type is expected: a value of another type, or none.
    Reason wrong() noexcept {
        const char c = peek();
        const bool begins = c == '"' || c == '[' || c == '{' || is_digit(c);
        const auto rest = between(p_, end_);
        const bool word =
            rest.starts_with("null") || rest.starts_with("true") || rest.starts_with("false");
        return begins || word ? Reason::wrong_type : Reason::not_json;
    }

  private:
    bool skip_inside(int levels, std::string& scratch) {
        const bool is_object = *p_++ == '{';
        const char close = is_object ? '}' : ']';
        if (take_if(close)) return true;
        do {
            if (is_object) {
                std::string_view name;
                if (peek() != '"') return fail(Reason::not_json);
                if (!string(name, scratch) || !take(':')) return false;
            }
            if (!skip(levels, scratch)) return false;
        } while (take_if(','));
        return take(close);
    }

    const char* begin_;
    const char* p_;
    const char* end_;
    Error error_;
};

}  // namespace wirecost::json
