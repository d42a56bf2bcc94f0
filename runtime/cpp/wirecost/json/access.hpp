// SPDX-License-Identifier: Apache-2.0
// How a field's functions reach it, from the type of the holder's member.
#pragma once

#include <array>
#include <type_traits>
#include <variant>
#include <vector>

#include "wirecost/json/table.hpp"

namespace wirecost::json {

template <class T>
inline constexpr Text text_of{
    [](const void* value) -> std::string_view { return *static_cast<const T*>(value); },
    [](void* value, std::string_view text) { static_cast<T*>(value)->assign(text); },
};

// Of a single value.
template <class T>
struct Access {
    using Value = T;
    using Key = void;
    static constexpr const Values* values = nullptr;
    static constexpr bool boxed = false;
    static const void* get(const T& held) { return &held; }
    static void* make(T& held) { return &held; }
};

template <class T>
struct MaybeAccess {
    using Value = std::remove_cvref_t<decltype(*std::declval<T&>())>;
    using Key = void;
    static constexpr const Values* values = nullptr;
    static constexpr bool boxed = false;
    static const void* get(const T& held) { return held.has_value() ? &*held : nullptr; }
    static void* make(T& held) { return &held.emplace(); }
};
template <class T>
struct Access<Optional<T>> : MaybeAccess<Optional<T>> {};
template <class T>
struct Access<Box<T>> : MaybeAccess<Box<T>> {
    static constexpr bool boxed = true;
};

template <class C, class T>
struct ManyAccess {
    using Value = T;
    using Key = void;
    static constexpr Values functions{
        [](const void* values) { return static_cast<const C*>(values)->size(); },
        [](const void* values, std::size_t index) -> const void* {
            return &(*static_cast<const C*>(values))[index];
        },
        [](void* values, std::size_t index) -> void* { return &(*static_cast<C*>(values))[index]; },
        [](void* values) -> void* {
            C& c = *static_cast<C*>(values);
            c.emplace_back();
            return &c.back();
        },
        [](void* values) { static_cast<C*>(values)->pop_back(); },
        nullptr,
        nullptr,
        nullptr,
    };
    static constexpr const Values* values = &functions;
    static constexpr bool boxed = false;
    static const void* get(const C& held) { return &held; }
    static void* make(C& held) { return &held; }
};
template <class T, class Memory>
struct Access<Sequence<T, Memory>> : ManyAccess<Sequence<T, Memory>, T> {};
template <class T>
struct Access<std::vector<T>> : ManyAccess<std::vector<T>, T> {};

template <class T, std::size_t n>
struct Access<std::array<T, n>> {
    using Value = T;
    using Key = void;
    using C = std::array<T, n>;
    static constexpr Values functions{
        [](const void*) { return n; },
        [](const void* values, std::size_t index) -> const void* {
            return &(*static_cast<const C*>(values))[index];
        },
        [](void* values, std::size_t index) -> void* { return &(*static_cast<C*>(values))[index]; },
        nullptr,
        nullptr,
        nullptr,
        nullptr,
        nullptr,
    };
    static constexpr const Values* values = &functions;
    static constexpr bool boxed = false;
    static const void* get(const C& held) { return &held; }
    static void* make(C& held) { return &held; }
};

template <class K, class V, class Memory>
struct Access<Map<K, V, Memory>> {
    using Value = V;
    using Key = K;
    using C = Map<K, V, Memory>;
    using Entry = typename C::Entry;
    static constexpr Values functions{
        [](const void* values) { return static_cast<const C*>(values)->size(); },
        [](const void* values, std::size_t index) -> const void* {
            return static_cast<const C*>(values)->begin() + index;
        },
        nullptr,
        [](void* values) -> void* { return &static_cast<C*>(values)->append(); },
        [](void* values) { static_cast<C*>(values)->drop(); },
        [](const void* entry) -> const void* { return &static_cast<const Entry*>(entry)->key; },
        [](const void* entry) -> const void* { return &static_cast<const Entry*>(entry)->value; },
        [](void* values) {
            C& c = *static_cast<C*>(values);
            const std::size_t before = c.size();
            c.settle();
            return c.size() == before;
        },
    };
    static constexpr const Values* values = &functions;
    static constexpr bool boxed = false;
    static const void* get(const C& held) { return &held; }
    static void* make(C& held) { return &held; }
};

template <class T>
struct MemberOf;
template <class H, class T>
struct MemberOf<T H::*> {
    using Holder = H;
    using Type = T;
};

// What differs between fields besides their place.
struct Given {
    std::string_view name;
    std::string_view json_name;
    Kind kind;
    Shape shape;
    Kind key = Kind::string;
    std::size_t capacity = SIZE_MAX;
    std::size_t text_capacity = SIZE_MAX;
};

// `T`: type of one value.
template <class T, class Key>
constexpr Field described(const Given& given) {
    Field field{given.name, given.json_name, given.kind, given.shape, nullptr, nullptr};
    field.key = given.key;
    field.capacity = given.capacity;
    field.text_capacity = given.text_capacity;
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        field.text = &text_of<T>;
    } else if constexpr (std::is_enum_v<T>) {
        field.enumeration = &Describe<T>::table;
    } else if constexpr (std::is_class_v<T>) {
        field.message = &Describe<T>::table;
    }
    if constexpr (std::is_class_v<Key>) {
        field.text = &text_of<Key>;  // values are of the same type, or no strings
    }
    return field;
}

// A data member of the holder.
template <auto member>
constexpr Field field(const Given& given) {
    using Holder = typename MemberOf<decltype(member)>::Holder;
    using How = Access<typename MemberOf<decltype(member)>::Type>;
    Field made = described<typename How::Value, typename How::Key>(given);
    made.get = [](const void* m) { return How::get(static_cast<const Holder*>(m)->*member); };
    made.make = [](void* m) { return How::make(static_cast<Holder*>(m)->*member); };
    made.values = How::values;
    made.boxed = How::boxed;
    return made;
}

// A member of a oneof, which is a std::variant in the holder.
template <auto member, std::size_t index>
constexpr Field choice(const Given& given) {
    using Holder = typename MemberOf<decltype(member)>::Holder;
    using Variant = typename MemberOf<decltype(member)>::Type;
    using Held = std::variant_alternative_t<index, Variant>;
    using How = Access<Held>;
    Field made = described<typename How::Value, void>(given);
    made.get = [](const void* m) -> const void* {
        const auto* const held = std::get_if<index>(&(static_cast<const Holder*>(m)->*member));
        if (held == nullptr) return nullptr;
        if constexpr (requires { held->or_default(); }) {
            return &held->or_default();
        } else {
            return held;
        }
    };
    made.make = [](void* m) -> void* {
        return How::make((static_cast<Holder*>(m)->*member).template emplace<index>());
    };
    made.boxed = How::boxed;
    made.choice = [](const void* m) { return (static_cast<const Holder*>(m)->*member).index(); };
    return made;
}

// The table of the messages of an Any; `Codec` encodes and decodes Protobuf's bytes.
template <class Holder, class Codec>
constexpr Type type(std::string_view name) {
    return {
        name,
        &Describe<Holder>::table,
        []() -> void* { return new Holder(); },
        [](void* m) noexcept { delete static_cast<Holder*>(m); },
        [](std::span<const std::byte> in, void* m) {
            return Codec::decode(in, *static_cast<Holder*>(m));
        },
        [](const void* m, std::string& out) {
            const Holder& holder = *static_cast<const Holder*>(m);
            out.resize(Codec::encoded_size(holder));
            return Codec::encode(holder, std::as_writable_bytes(std::span(out))).error;
        },
    };
}

template <class Holder>
const void* defaults() {
    return &default_instance<Holder>();
}

}  // namespace wirecost::json
