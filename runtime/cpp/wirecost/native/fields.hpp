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
    template <class Holder>
    static PyObject* give(const Holder& m) {
        return Policy::give(m.*pointer);
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
    template <class Holder>
    static PyObject* give(const Holder& m) {
        const auto& variant = m.*pointer;
        return variant.index() == index ? Policy::give(std::get<index>(variant))
                                        : Py_NewRef(Py_None);
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

template <class Field, class Holder>
bool take_field(PyObject* slot, Holder& m, int depth) {
    const nb::object value = nb::borrow(slot);
    if (!value.is_valid()) {
        PyErr_SetString(PyExc_ValueError, "it was deleted");
        return in_field(Field::name);
    }
    return Field::take(value.ptr(), m, depth) || in_field(Field::name);
}

template <class Holder, std::size_t... i>
bool take_fields(PyObject* object, Holder& m, int depth, std::index_sequence<i...>) {
    using Fields = typename Binding<Holder>::Fields;
    return (take_field<std::tuple_element_t<i, Fields>>(attributes(object)[i], m, depth) && ...);
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

template <class Holder, std::size_t... i>
bool give_fields(PyObject** to, const Holder& m, std::index_sequence<i...>) {
    using Fields = typename Binding<Holder>::Fields;
    return (((to[i] = std::tuple_element_t<i, Fields>::give(m)) != nullptr) && ...);
}

// A new object with the holder's content.
template <class Holder>
PyObject* give_message(const Holder& m) {
    constexpr std::size_t count = field_count<Holder>;
    PyObject* const self = allocate<count>(class_of<Holder>.type);
    if (self == nullptr) return nullptr;
    const bool done = give_fields(attributes(self), m, std::make_index_sequence<count>());
    PyObject_GC_Track(self);
    if (done) return self;
    Py_DECREF(self);
    return nullptr;
}

template <class Holder>
struct Nested {
    static constexpr bool shared = false;
    static PyObject* give(const Holder& m) { return give_message(m); }
    static bool take(PyObject* value, Holder& m, int depth) {
        const Class& cls = class_of<Holder>;
        if (Py_TYPE(value) == cls.type) return take_message(value, m, depth + 1);
        PyErr_Format(PyExc_TypeError, "'%s' is not %s", Py_TYPE(value)->tp_name, cls.type->tp_name);
        return false;
    }
};

// A field's default.
template <class Holder, std::size_t i>
PyObject* default_of() {
    return std::tuple_element_t<i, typename Binding<Holder>::Fields>::give(
        default_instance<Holder>());
}

}  // namespace wirecost::native
