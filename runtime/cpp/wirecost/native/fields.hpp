// SPDX-License-Identifier: Apache-2.0
// Fields of messages: how a whole holder becomes an object and an object a holder.
#pragma once

#include "wirecost/native/values.hpp"

namespace wirecost::native {

template <std::size_t size>
struct Name {
    char text[size];
    consteval Name(const char (&from)[size]) { std::copy_n(from, size, text); }
};

// A data member of the holder.
template <Name attribute, auto pointer, class Policy>
struct Member {
    static constexpr const char* name = attribute.text;
    static constexpr bool shared = Policy::shared;
    static constexpr bool lazy = Policy::lazy;
    template <class Holder>
    static PyObject* give(const Holder& m, Keeper* keeper) {
        return Policy::give(m.*pointer, keeper);
    }
    template <class Holder>
    static bool is_cheap(const Holder& m) {
        if constexpr (requires { Policy::is_cheap(m.*pointer); })
            return Policy::is_cheap(m.*pointer);
        return false;
    }
    // What Python has not asked for, if that needs no object.
    template <class Holder>
    static bool copy(const Unread& from, Holder& m) {
        if (from.keeper == nullptr) {
            wirecost::clear(m.*pointer);
            return true;
        }
        if constexpr (Policy::flat) m.*pointer = static_cast<const Holder*>(from.holder)->*pointer;
        return Policy::flat;
    }
    template <class Holder>
    static bool take(PyObject* value, Holder& m, int depth) {
        return Policy::take(value, m.*pointer, depth);
    }
};

// One of a oneof's alternatives; the first of them comes first among the fields.
template <Name attribute, Name oneof, auto pointer, std::size_t index, class Policy>
struct Choice {
    static constexpr const char* name = attribute.text;
    static constexpr bool shared = true;
    static constexpr bool lazy = Policy::lazy;
    template <class Holder>
    static PyObject* give(const Holder& m, Keeper* keeper) {
        return is_cheap(m) ? Py_NewRef(Py_None) : Policy::give(std::get<index>(m.*pointer), keeper);
    }
    template <class Holder>
    static bool is_cheap(const Holder& m) {
        return (m.*pointer).index() != index;
    }
    template <class Holder>
    static bool copy(const Unread& /*from*/, Holder& /*m*/) {
        return false;
    }
    template <class Holder>
    static bool take(PyObject* value, Holder& m, int depth) {
        auto& variant = m.*pointer;
        if constexpr (index == 1) variant.template emplace<0>();
        if (value == Py_None) return true;
        if (variant.index() != 0) {
            PyErr_Format(PyExc_ValueError, "more than one member of the oneof %s is set",
                         oneof.text);
            return false;
        }
        return Policy::take(value, variant.template emplace<index>(), depth);
    }
};

// An error in a field names it: `meta_data: user_infos: key: 'int' is not bytes`.
[[gnu::cold, gnu::noinline]] inline bool in_field(const char* name) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    if (value != nullptr &&
        (type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_OverflowError)) {
        PyErr_Format(type, "%s: %S", name, value);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    } else {
        PyErr_Restore(type, value, trace);
    }
    return false;
}

template <std::size_t i, class Holder>
bool take_field(PyObject* object, Holder& m, int depth) {
    using Field = std::tuple_element_t<i, typename Binding<Holder>::Fields>;
    PyObject* slot = attributes(object)[i];
    if constexpr (Field::lazy) {
        if (slot == nullptr) {
            const Unread& rest = unread(object, field_count<Holder>);
            if (rest.holder != nullptr && Field::copy(rest, m)) return true;
            slot = read(class_of<Holder>, object, i);
        }
    }
    const nb::object value = nb::borrow(slot);
    if (!value.is_valid()) {
        if (PyErr_Occurred() != nullptr) return false;
        PyErr_SetString(PyExc_ValueError, "it was deleted");
        return in_field(Field::name);
    }
    return Field::take(value.ptr(), m, depth) || in_field(Field::name);
}

template <class Holder, std::size_t... i>
bool take_fields(PyObject* object, Holder& m, int depth, std::index_sequence<i...>) {
    return (take_field<i>(object, m, depth) && ...);
}

// The object's content into a holder that may hold any; `object` is of its class.
template <class Holder>
bool take_message(PyObject* object, Holder& m, int depth) {
    if (depth > deepest) {
        PyErr_SetString(PyExc_RecursionError, "messages are nested without end");
        return false;
    }
    return take_fields(object, m, depth, std::make_index_sequence<field_count<Holder>>());
}

// The value of a field that is not lazy, or cheaper now than later; else it is counted.
template <class Field, class Holder>
bool give_field(PyObject*& to, const Holder& m, std::size_t& later) {
    if constexpr (Field::lazy) {
        if (!Field::is_cheap(m)) {
            ++later;
            return true;
        }
    }
    return (to = Field::give(m, nullptr)) != nullptr;
}

template <class Holder, std::size_t... i>
bool give_fields(PyObject** to, const Holder& m, std::size_t& later, std::index_sequence<i...>) {
    using Fields = typename Binding<Holder>::Fields;
    return (give_field<std::tuple_element_t<i, Fields>>(to[i], m, later) && ...);
}

// A new object with the content of a holder that `keeper` keeps.
template <class Holder>
PyObject* give_message(const Holder& m, Keeper* keeper) {
    constexpr std::size_t count = field_count<Holder>;
    PyObject* const self = allocate<count, is_lazy<Holder>>(class_of<Holder>.type);
    if (self == nullptr) return nullptr;
    std::size_t later = 0;
    const bool done = give_fields(attributes(self), m, later, std::make_index_sequence<count>());
    if constexpr (is_lazy<Holder>) {
        if (later != 0) unread(self, count) = {&m, hold(keeper), later};
    }
    PyObject_GC_Track(self);
    if (done) return self;
    Py_DECREF(self);
    return nullptr;
}

template <class Holder>
struct Nested {
    static constexpr bool shared = false;
    static constexpr bool lazy = true;
    static constexpr bool flat = false;
    static PyObject* give(const Holder& m, Keeper* keeper) { return give_message(m, keeper); }
    static bool take(PyObject* value, Holder& m, int depth) {
        const Class& cls = class_of<Holder>;
        if (Py_TYPE(value) == cls.type) return take_message(value, m, depth + 1);
        PyErr_Format(PyExc_TypeError, "'%s' is not %s", Py_TYPE(value)->tp_name, cls.type->tp_name);
        return false;
    }
};

template <class Holder, std::size_t i>
PyObject* give_from(const void* holder, Keeper* keeper) {
    return std::tuple_element_t<i, typename Binding<Holder>::Fields>::give(
        *static_cast<const Holder*>(holder), keeper);
}

}  // namespace wirecost::native
