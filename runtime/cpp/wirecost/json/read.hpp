// SPDX-License-Identifier: Apache-2.0
// Messages of JSON: one walk over the text, straight into the holders.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "wirecost/json/read_values.hpp"
#include "wirecost/json/well_known.hpp"

namespace wirecost::json {

// Which of a message's fields have come.
class Seen {
  public:
    explicit Seen(std::size_t fields) {
        if (fields > few) more_.resize(fields);
    }
    bool add(std::size_t field) {  // whether it is the first time
        if (!more_.empty()) {
            const bool first = !more_[field];
            more_[field] = true;
            return first;
        }
        const std::uint64_t bit = std::uint64_t{1} << (field % 64);
        const bool first = (words_[field / 64] & bit) == 0;
        words_[field / 64] |= bit;
        return first;
    }
    bool has(std::size_t field) const {
        return more_.empty() ? (words_[field / 64] >> (field % 64) & 1U) != 0 : more_[field];
    }

  private:
    static constexpr std::size_t few = 256;
    std::array<std::uint64_t, few / 64> words_{};
    std::vector<bool> more_;
};

class Reader : ValueReader {
  public:
    Reader(std::string_view text, const ReadOptions& options, const Limits& limits) noexcept
        : ValueReader(text, options),
          depth_(limits.depth),
          memory_(limits.memory + text.size() * Limits::free_memory) {}

    // The whole text as one message, into a holder that is clear.
    Error read(const Message& type, void* m) {
        static_cast<void>(message(type, m, 0) && in_.ends());
        return in_.error();
    }

  private:
    bool message(const Message& type, void* m, int depth) {
        if (depth > depth_) return in_.fail(Reason::nested_too_deep);
        switch (type.form) {
            case Form::object:
                return object(type, m, depth, false);
            case Form::any:
                return any(type, m, depth);
            case Form::duration:
            case Form::timestamp:
                return moment(type, m);
            case Form::field_mask:
                return mask(type.fields[0], m);
            case Form::value:
                return value(type, m, depth);
            case Form::list:
                return many(type.fields[0], type.fields[0].make(m), depth);
            case Form::structure:
                return map(type.fields[0], type.fields[0].make(m), depth);
            case Form::wrapper:
                return one(type.fields[0], type.fields[0].make(m), depth) == Found::value;
        }
        return false;
    }

    // `in_any`: the member @type was read before.
    bool object(const Message& type, void* m, int depth, bool in_any) {
        Seen seen(type.fields.size());
        std::size_t next = 0;
        if (!open('{')) return false;
        if (!in_.take_if('}')) {
            do {
                if (!member(type, m, depth, in_any, seen, next)) return false;
            } while (in_.take_if(','));
            if (!in_.take('}')) return false;
        }
        for (std::size_t i = 0; type.requires_fields && i < type.fields.size(); ++i) {
            if (type.fields[i].shape == Shape::required && !seen.has(i))
                return in_.fail(Reason::missing_required);
        }
        return true;
    }

    bool member(const Message& type, void* m, int depth, bool in_any, Seen& seen,
                std::size_t& next) {
        std::string_view name;
        const char* const start = (in_.peek(), in_.position());
        if (!this->name(name)) return false;
        const std::size_t index = type.find(name, next);
        if (index == type.fields.size()) {
            if (in_any && name == "value" && type.name == "google.protobuf.Empty" &&
                !options_.ignore_unknown) {  // as some write it
                return next++ == 0 ? open('{') && in_.take('}')
                                   : in_.fail(Reason::duplicate, start);
            }
            if (!options_.ignore_unknown && !(in_any && name == "@type")) {
                return in_.fail(name.starts_with('[') ? Reason::extension : Reason::unknown_field,
                                start);
            }
            return in_.skip(skipped_levels(), scratch_);
        }
        next = index + 1;
        if (!seen.add(index)) return in_.fail(Reason::duplicate, start);
        const Field& field = type.fields[index];
        if (!takes_null(field) && in_.take_word("null")) return true;
        if (field.choice != nullptr && field.choice(m) != 0)
            return in_.fail(Reason::second_member, start);
        if (field.many()) {
            void* const values = field.make(m);
            return field.shape == Shape::map ? map(field, values, depth)
                                             : many(field, values, depth);
        }
        return single(field, m, depth);
    }

    bool single(const Field& field, void* m, int depth) {
        if (field.kind == Kind::enumeration || field.kind == Kind::null) {
            // A value that is skipped leaves the field absent.
            std::int32_t number = 0;
            const Found found = enumeration(field, number);
            if (found == Found::value) std::memcpy(field.make(m), &number, sizeof number);
            return found != Found::wrong;
        }
        if (field.boxed && !take(field.message().size)) return false;
        return one(field, field.make(m), depth + 1) == Found::value;
    }

    static bool takes_null(const Field& field) {
        if (field.many()) return false;
        return field.kind == Kind::null ||
               (field.kind == Kind::message && field.message().form == Form::value);
    }

    bool many(const Field& field, void* values, int depth) {
        if (!open('[')) return false;
        if (in_.take_if(']')) return true;
        const Values& held = *field.values;
        std::size_t count = 0;
        do {
            const bool fixed = held.add == nullptr;
            if (count == (fixed ? held.size(values) : field.capacity))
                return in_.fail(Reason::over_capacity);
            if (field.kind == Kind::message && !take(field.message().size)) return false;
            void* const at = fixed ? held.change(values, count) : held.add(values);
            const Found found = one(field, at, depth + 1);
            if (found == Found::wrong) return false;
            if (found == Found::value) {
                ++count;
            } else if (!fixed) {
                held.drop(values);
            }
        } while (in_.take_if(','));
        return in_.take(']');
    }

    bool map(const Field& field, void* values, int depth) {
        if (!open('{')) return false;
        if (in_.take_if('}')) return true;
        if (depth >= depth_) return in_.fail(Reason::nested_too_deep);
        const Values& held = *field.values;
        const char* const start = in_.position();
        do {
            if (field.kind == Kind::message && !take(field.message().size)) return false;
            void* const entry = held.add(values);
            std::string_view name;
            const char* const at = (in_.peek(), in_.position());
            if (!this->name(name)) return false;
            if (!key(field, const_cast<void*>(held.key(entry)), name, at)) return false;
            const Found found = one(field, const_cast<void*>(held.value(entry)), depth + 2);
            if (found == Found::wrong) return false;
            if (found == Found::skipped) held.drop(values);
        } while (in_.take_if(','));
        if (!in_.take('}')) return false;
        return held.settle(values) || in_.fail(Reason::duplicate, start);
    }

    Found one(const Field& field, void* value, int depth) {
        switch (field.kind) {
            case Kind::message:
                return as_found(message(field.message(), value, depth));
            case Kind::string:
            case Kind::bytes:
                return as_found(text(field, value));
            case Kind::boolean:
                return as_found(boolean(value));
            case Kind::enumeration:
            case Kind::null: {
                std::int32_t number = 0;
                const Found found = enumeration(field, number);
                std::memcpy(value, &number, sizeof number);
                return found;
            }
            default:
                return as_found(this->number(field.kind, value));
        }
    }

    bool moment(const Message& type, void* m) {
        std::string_view text;
        const char* const start = (in_.peek(), in_.position());
        if (!in_.string(text, scratch_)) return false;
        Moment found;
        if (type.form == Form::timestamp) {
            if (!read_timestamp(text, found)) return in_.fail(Reason::bad_time, start);
        } else if (!read_duration(text, found)) {
            return in_.fail(Reason::bad_duration, start);
        }
        store(static_cast<Byte*>(type.fields[0].make(m)), found.seconds);
        store(static_cast<Byte*>(type.fields[1].make(m)), found.nanos);
        return true;
    }

    bool mask(const Field& field, void* m) {
        std::string_view text;
        const char* const start = (in_.peek(), in_.position());
        if (!in_.string(text, scratch_)) return false;
        void* const paths = field.make(m);
        for (bool more = !text.empty(); more;) {
            const std::size_t comma = text.find(',');
            more = comma != std::string_view::npos;
            if (!read_path(text.substr(0, comma), decoded_))
                return in_.fail(Reason::bad_mask, start);
            if (!take(sizeof(String))) return false;
            field.text->assign(field.values->add(paths), decoded_);
            if (more) text.remove_prefix(comma + 1);
        }
        return true;
    }

    // One of the fields of google.protobuf.Value, in their order.
    bool value(const Message& type, void* m, int depth) {
        enum : std::uint8_t { null, number, string, boolean, structure, list };
        std::size_t index = number;
        switch (in_.peek()) {
            case '"':
                index = string;
                break;
            case '{':
                index = structure;
                break;
            case '[':
                index = list;
                break;
            case 'n':
                index = null;
                break;
            case 't':
            case 'f':
                index = boolean;
                break;
            default:
                break;
        }
        return single(type.fields[index], m, depth);
    }

    bool any(const Message& type, void* m, int depth) {
        const char* const start = (in_.peek(), in_.position());
        if (!open('{')) return false;
        if (in_.take_if('}')) return true;
        const Field& url = type.fields[0];
        if (!find_type(url, m)) return false;
        const std::string_view name = url.text->view(url.get(m));
        const std::size_t slash = name.rfind('/');
        if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size())
            return in_.fail(Reason::bad_any, start);
        const Type* const inner =
            options_.types ? options_.types->find(name.substr(slash + 1)) : nullptr;
        if (inner == nullptr) return in_.fail(Reason::unknown_type, start);
        in_.go_to(start);
        const Message& table = inner->message();
        if (!take(table.size)) return false;
        const std::unique_ptr<void, void (*)(void*) noexcept> holder(inner->create(),
                                                                     inner->destroy);
        if (depth >= depth_) return in_.fail(Reason::nested_too_deep);
        const bool read = table.form != Form::object
                              ? wrapped_message(table, holder.get(), depth + 1)
                              : object(table, holder.get(), depth + 1, true);
        if (!read) return false;
        std::string bytes;
        if (inner->encode(holder.get(), bytes)) return in_.fail(Reason::bad_any, start);
        type.fields[1].text->assign(type.fields[1].make(m), bytes);
        return true;
    }

    // Reads the member @type of an object into `url` and goes to the end.
    bool find_type(const Field& url, void* m) {
        const char* const start = in_.position();
        bool found = false;
        do {
            std::string_view name;
            const char* const at = (in_.peek(), in_.position());
            if (!this->name(name)) return false;
            if (name != "@type") {
                if (!in_.skip(skipped_levels(), scratch_)) return false;
                continue;
            }
            if (found) return in_.fail(Reason::duplicate, at);
            found = true;
            if (!text(url, url.make(m))) return false;
        } while (in_.take_if(','));
        return in_.take('}') && (found || in_.fail(Reason::bad_any, start));
    }

    // An object with the members @type and value.
    bool wrapped_message(const Message& type, void* m, int depth) {
        bool found = false;
        if (!open('{')) return false;
        do {
            std::string_view name;
            const char* const at = (in_.peek(), in_.position());
            if (!this->name(name)) return false;
            if (name == "value") {
                if (found) return in_.fail(Reason::duplicate, at);
                found = true;
                if (!message(type, m, depth)) return false;
            } else if (name == "@type" || options_.ignore_unknown) {
                if (!in_.skip(skipped_levels(), scratch_)) return false;
            } else {
                return in_.fail(Reason::bad_any, at);
            }
        } while (in_.take_if(','));
        return in_.take('}') && (found || in_.fail(Reason::bad_any));
    }

    // A member's name and the colon behind it.
    bool name(std::string_view& name) {
        if (in_.peek() != '"') return in_.fail(Reason::not_json);
        return in_.string(name, scratch_) && in_.take(':');
    }

    bool open(char mark) { return in_.take_if(mark) || in_.fail(in_.wrong()); }

    bool take(std::size_t bytes) noexcept {
        if (bytes > memory_) return in_.fail(Reason::too_much_memory);
        memory_ -= bytes;
        return true;
    }

    // Arrays and objects in what is skipped: a message in a list is two.
    int skipped_levels() const noexcept {
        return depth_ > std::numeric_limits<int>::max() / 2 - 1 ? depth_ : 2 * depth_ + 2;
    }

    int depth_;
    std::size_t memory_;
};

}  // namespace wirecost::json
