// SPDX-License-Identifier: Apache-2.0
// Messages as JSON: one walk over the tables, which appends to a string.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "wirecost/json/scalars.hpp"
#include "wirecost/json/strings.hpp"
#include "wirecost/json/table.hpp"
#include "wirecost/json/well_known.hpp"

namespace wirecost::json {

struct WriteOptions {
    bool proto_names = false;      // fields have the names of the schema
    bool defaults = false;         // also fields that cannot be absent and have their default
    const Types* types = nullptr;  // of the messages that an Any may hold
};

template <class T>
T loaded(const void* value) noexcept {
    T found;
    std::memcpy(&found, value, sizeof found);
    return found;
}

class Writer {
  public:
    Writer(std::string& out, const WriteOptions& options) : out_(out), options_(options) {}

    const Error& error() const noexcept { return error_; }

    bool message(const Message& type, const void* m) {
        switch (type.form) {
            case Form::object:
                out_.push_back('{');
                return fields(type, m, true);
            case Form::any:
                return any(type, m);
            case Form::duration:
                return append_duration(out_, moment(type, m)) || fail(Reason::bad_duration);
            case Form::timestamp:
                return append_timestamp(out_, moment(type, m)) || fail(Reason::bad_time);
            case Form::field_mask:
                return mask(type.fields[0], m);
            case Form::value:
                return value(type, m);
            case Form::list:
            case Form::structure:
                return many(type.fields[0], type.fields[0].get(m));
            case Form::wrapper:
                return one(type.fields[0], type.fields[0].get(m));
        }
        return false;
    }

  private:
    // How deep an Any may lie in others: each may take as much memory as a decoder allows.
    static constexpr int deepest_any = 16;

    [[gnu::cold, gnu::noinline]] bool fail(Reason reason) {
        if (!error_) error_ = {reason, out_.size()};
        return false;
    }

    // The members behind an opening brace, and the closing one.
    bool fields(const Message& type, const void* m, bool first) {
        for (const Field& field : type.fields) {
            const void* const value = field.get(m);
            if (value == nullptr || !is_written(type, field, value)) continue;
            if (!first) out_.push_back(',');
            first = false;
            if (!append_string(out_, options_.proto_names ? field.name : field.json_name))
                return fail(Reason::bad_utf8);
            out_.push_back(':');
            if (!(field.many() ? many(field, value) : one(field, value))) return false;
        }
        out_.push_back('}');
        return true;
    }

    bool is_written(const Message& type, const Field& field, const void* value) const {
        if (options_.defaults) return true;
        if (field.many()) return field.values->size(value) != 0;
        return field.shape != Shape::implicit || !is_default(field, value, type.defaults());
    }

    static bool is_default(const Field& field, const void* value, const void* defaults) {
        const void* const other = field.get(defaults);
        if (field.text != nullptr) return field.text->view(value) == field.text->view(other);
        return std::memcmp(value, other, width(field.kind)) == 0;
    }

    static std::size_t width(Kind kind) noexcept {
        switch (kind) {
            case Kind::boolean:
            case Kind::int8:
            case Kind::uint8:
                return 1;
            case Kind::int16:
            case Kind::uint16:
                return 2;
            case Kind::int64:
            case Kind::uint64:
            case Kind::float64:
                return 8;
            default:
                return 4;
        }
    }

    bool many(const Field& field, const void* values) {
        const std::size_t size = field.values->size(values);
        const bool is_map = field.shape == Shape::map;
        if (size > field.capacity) return fail(Reason::over_capacity);
        out_.push_back(is_map ? '{' : '[');
        for (std::size_t i = 0; i < size; ++i) {
            if (i != 0) out_.push_back(',');
            const void* at = field.values->at(values, i);
            if (is_map) {
                if (!key(field, field.values->key(at))) return false;
                out_.push_back(':');
                at = field.values->value(at);
            }
            if (!one(field, at)) return false;
        }
        out_.push_back(is_map ? '}' : ']');
        return true;
    }

    bool key(const Field& field, const void* key) {
        if (field.key == Kind::string)
            return append_string(out_, field.text->view(key)) || fail(Reason::bad_utf8);
        out_.push_back('"');
        number(field.key, key);
        out_.push_back('"');
        return true;
    }

    bool one(const Field& field, const void* value) {
        switch (field.kind) {
            case Kind::message:
                return message(field.message(), value);
            case Kind::string:
            case Kind::bytes:
                return text(field, field.text->view(value));
            case Kind::enumeration:
                return enumeration(field.enumeration(), value);
            case Kind::null:
                out_.append("null");
                return true;
            case Kind::float32:
                return real(loaded<float>(value));
            case Kind::float64:
                return real(loaded<double>(value));
            case Kind::int64:
            case Kind::uint64:
                out_.push_back('"');
                number(field.kind, value);
                out_.push_back('"');
                return true;
            default:
                number(field.kind, value);
                return true;
        }
    }

    bool text(const Field& field, std::string_view text) {
        if (text.size() > field.text_capacity) return fail(Reason::over_capacity);
        if (field.kind == Kind::string) return append_string(out_, text) || fail(Reason::bad_utf8);
        out_.push_back('"');
        append_base64(out_, text);
        out_.push_back('"');
        return true;
    }

    bool enumeration(const Enum& type, const void* value) {
        const auto number = loaded<std::int32_t>(value);
        if (const EnumValue* const known = type.find(number)) {
            append_string(out_, known->name);
        } else {
            append_number(out_, number);
        }
        return true;
    }

    void number(Kind kind, const void* value) {
        switch (kind) {
            case Kind::boolean:
                out_.append(loaded<Byte>(value) != 0 ? "true" : "false");
                break;
            case Kind::int8:
                append_number(out_, loaded<std::int8_t>(value));
                break;
            case Kind::uint8:
                append_number(out_, loaded<std::uint8_t>(value));
                break;
            case Kind::int16:
                append_number(out_, loaded<std::int16_t>(value));
                break;
            case Kind::uint16:
                append_number(out_, loaded<std::uint16_t>(value));
                break;
            case Kind::int32:
                append_number(out_, loaded<std::int32_t>(value));
                break;
            case Kind::uint32:
                append_number(out_, loaded<std::uint32_t>(value));
                break;
            case Kind::int64:
                append_number(out_, loaded<std::int64_t>(value));
                break;
            default:
                append_number(out_, loaded<std::uint64_t>(value));
        }
    }

    template <class T>
    bool real(T value) {
        if (value == 0 && std::signbit(value)) {
            out_.append("-0.0");  // some take -0 for the integer
        } else if (std::isfinite(value)) {
            append_number(out_, value);
        } else {
            out_.append(std::isnan(value) ? "\"NaN\""
                        : value > 0       ? "\"Infinity\""
                                          : "\"-Infinity\"");
        }
        return true;
    }

    static Moment moment(const Message& type, const void* m) {
        return {loaded<std::int64_t>(type.fields[0].get(m)),
                loaded<std::int32_t>(type.fields[1].get(m))};
    }

    bool mask(const Field& field, const void* m) {
        const void* const paths = field.get(m);
        std::string joined;
        for (std::size_t i = 0; i < field.values->size(paths); ++i) {
            if (i != 0) joined.push_back(',');
            if (!append_path(joined, field.text->view(field.values->at(paths, i))))
                return fail(Reason::bad_mask);
        }
        return append_string(out_, joined) || fail(Reason::bad_utf8);
    }

    bool value(const Message& type, const void* m) {
        for (const Field& field : type.fields) {
            const void* const found = field.get(m);
            if (found == nullptr) continue;
            if (field.kind == Kind::float64 && !std::isfinite(loaded<double>(found)))
                return fail(Reason::out_of_range);
            return one(field, found);
        }
        out_.append("null");
        return true;
    }

    bool any(const Message& type, const void* m) {
        const std::string_view url = type.fields[0].text->view(type.fields[0].get(m));
        const std::string_view bytes = type.fields[1].text->view(type.fields[1].get(m));
        if (url.empty() && bytes.empty()) {
            out_.append("{}");
            return true;
        }
        const std::size_t slash = url.rfind('/');
        if (slash == std::string_view::npos || slash == 0 || slash + 1 == url.size())
            return fail(Reason::bad_any);
        const Type* const inner =
            options_.types ? options_.types->find(url.substr(slash + 1)) : nullptr;
        if (inner == nullptr) return fail(Reason::unknown_type);
        if (anys_ == deepest_any) return fail(Reason::nested_too_deep);
        const std::unique_ptr<void, void (*)(void*) noexcept> holder(inner->create(),
                                                                     inner->destroy);
        if (inner->decode(std::as_bytes(std::span(bytes)), holder.get()))
            return fail(Reason::bad_any);
        out_.append("{\"@type\":");
        if (!append_string(out_, url)) return fail(Reason::bad_utf8);
        ++anys_;
        const Message& table = inner->message();
        bool done = false;
        if (table.form == Form::object) {
            done = fields(table, holder.get(), false);
        } else {
            out_.append(",\"value\":");
            done = message(table, holder.get());
            out_.push_back('}');
        }
        --anys_;
        return done;
    }

    std::string& out_;
    const WriteOptions& options_;
    Error error_;
    int anys_ = 0;
};

}  // namespace wirecost::json
