// SPDX-License-Identifier: Apache-2.0
// What the JSON runtime knows of a message: a table of its fields, each with functions that reach
// it in a holder. Generated headers hold one table per message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "wirecost/support.hpp"

namespace wirecost::json {

enum class Kind : std::uint8_t {
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float32,
    float64,
    string,
    bytes,
    enumeration,
    null,  // google.protobuf.NullValue
    message,
};

enum class Shape : std::uint8_t {
    implicit,  // a scalar, left out if it has its default
    lacking,   // it may be absent
    always,
    required,
    repeated,
    array,
    map,
};

// How a message is written: as an object of its fields, or as its name says.
enum class Form : std::uint8_t {
    object,
    any,
    duration,
    field_mask,
    list,
    structure,
    timestamp,
    value,
    wrapper,
};

// The values of an enum: by number, each once, and all by name.
struct EnumValue {
    std::string_view name;
    std::int32_t number;
};
struct Enum {
    std::span<const EnumValue> by_number;
    std::span<const EnumValue> by_name;
    bool closed;

    const EnumValue* find(std::int32_t number) const noexcept {
        const auto at = std::ranges::lower_bound(by_number, number, {}, &EnumValue::number);
        return at != by_number.end() && at->number == number ? &*at : nullptr;
    }
    const EnumValue* find(std::string_view name) const noexcept {
        const auto at = std::ranges::lower_bound(by_name, name, {}, &EnumValue::name);
        return at != by_name.end() && at->name == name ? &*at : nullptr;
    }
};

// A repeated field, an array or a map in its holder. `value` is the field's address or an entry's.
struct Values {
    std::size_t (*size)(const void* values);
    const void* (*at)(const void* values, std::size_t index);
    void* (*change)(void* values, std::size_t index);
    void* (*add)(void* values);
    void (*drop)(void* values);
    const void* (*key)(const void* entry);
    const void* (*value)(const void* entry);
    bool (*settle)(void* values);  // puts a map in order; whether its keys differ
};

// A string in its holder.
struct Text {
    std::string_view (*view)(const void* value);
    void (*assign)(void* value, std::string_view text);
};

struct Message;

struct Field {
    std::string_view name;
    std::string_view json_name;
    Kind kind;
    Shape shape;
    const void* (*get)(const void* holder);  // the value or the values; null if absent
    void* (*make)(void* holder);             // the same, which is there then
    const Values* values = nullptr;
    const Text* text = nullptr;
    const Message& (*message)() = nullptr;
    const Enum& (*enumeration)() = nullptr;
    bool boxed = false;                                   // a message that lies elsewhere
    std::size_t (*choice)(const void* holder) = nullptr;  // which member of its oneof is set
    Kind key = Kind::string;
    std::size_t capacity = SIZE_MAX;
    std::size_t text_capacity = SIZE_MAX;

    bool many() const noexcept { return shape >= Shape::repeated; }
};

struct Name {
    std::string_view text;
    std::uint32_t field;
};

struct Message {
    std::string_view name;
    Form form;
    std::size_t size;  // of the holder
    std::span<const Field> fields;
    std::span<const Name> names;  // of both kinds, in order; a field's JSON name comes first
    const void* (*defaults)();
    bool requires_fields;

    // The place of a field, which most often is the one behind the last; else how many there are.
    std::size_t find(std::string_view wanted, std::size_t next) const noexcept {
        if (next < fields.size() && fields[next].json_name == wanted) return next;
        const auto at = std::ranges::lower_bound(names, wanted, {}, &Name::text);
        return at != names.end() && at->text == wanted ? at->field : fields.size();
    }
};

// A message that an Any may hold.
struct Type {
    std::string_view name;
    const Message& (*message)();
    void* (*create)();
    void (*destroy)(void* holder) noexcept;
    wirecost::Error (*decode)(std::span<const std::byte> in, void* holder);
    wirecost::Error (*encode)(const void* holder, std::string& out);
};

// In the order of their names; generated as json_types().
struct Types {
    std::span<const Type> all;

    const Type* find(std::string_view name) const noexcept {
        const auto at = std::ranges::lower_bound(all, name, {}, &Type::name);
        return at != all.end() && at->name == name ? &*at : nullptr;
    }
};

// The table of a holder or of an enum: specialized by generated headers.
template <class T>
struct Describe;

}  // namespace wirecost::json
