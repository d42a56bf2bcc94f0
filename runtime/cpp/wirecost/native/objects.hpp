// SPDX-License-Identifier: Apache-2.0
// Python classes of messages. An object holds Python values, one an attribute, as one of a slots
// dataclass does: it owns no C++ memory, so nothing can dangle. Their content passes through C++
// holders only while it is encoded or decoded. The classes are made by hand rather than by
// nanobind::class_: constructors with keywords and attributes then cost what Python's own do.
#pragma once

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "wirecost/support.hpp"

namespace wirecost::native {

namespace nb = nanobind;

// Specialised for each holder by generated code: `module`, `name` and `Fields`, a tuple of
// Member and Choice (fields.hpp).
template <class Holder>
struct Binding;

template <class Holder>
inline constexpr std::size_t field_count = std::tuple_size_v<typename Binding<Holder>::Fields>;

// What code that is the same for all classes knows of one.
struct Class {
    PyTypeObject* type = nullptr;
    const char* name = nullptr;
    std::size_t count = 0;
    PyObject** names = nullptr;   // interned
    PyObject** shared = nullptr;  // defaults; nullptr: made anew by `fresh`
    PyObject* (**fresh)() = nullptr;
};

template <class Holder>
inline Class class_of{};

// The attributes lie behind the object's head.
inline PyObject** attributes(PyObject* self) noexcept {
    return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + sizeof(PyObject));
}

// An object without values, which Python does not see yet.
template <std::size_t count>
PyObject* allocate(PyTypeObject* type) {
    PyObject* const self = PyObject_GC_New(PyObject, type);
    if (self != nullptr) std::fill_n(attributes(self), count, nullptr);
    return self;
}

template <std::size_t count>
void deallocate(PyObject* self) {
    PyObject_GC_UnTrack(self);
    // Else the end of a long chain of messages would exhaust the stack.
    Py_TRASHCAN_BEGIN(self, deallocate<count>);
    PyTypeObject* const type = Py_TYPE(self);
    for (std::size_t i = 0; i < count; ++i) Py_XDECREF(attributes(self)[i]);
    PyObject_GC_Del(self);
    Py_DECREF(type);
    Py_TRASHCAN_END;
}

template <std::size_t count>
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    for (std::size_t i = 0; i < count; ++i) Py_VISIT(attributes(self)[i]);
    return 0;
}

template <std::size_t count>
int clear(PyObject* self) {
    for (std::size_t i = 0; i < count; ++i) Py_CLEAR(attributes(self)[i]);
    return 0;
}

// The index of a keyword, or `count`. Callers give keywords mostly in the fields' order, so the
// search begins at `hint`.
inline std::size_t find(const Class& cls, PyObject* keyword, std::size_t hint) {
    for (std::size_t i = hint; i < cls.count; ++i) {
        if (cls.names[i] == keyword) return i;
    }
    for (std::size_t i = 0; i < cls.count; ++i) {
        if (PyUnicode_Compare(cls.names[i], keyword) == 0) return i;
    }
    return cls.count;
}

inline bool keywords(const Class& cls, PyObject** to, PyObject* const* values, PyObject* names) {
    std::size_t hint = 0;
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(names));
    for (std::size_t k = 0; k < count; ++k) {
        PyObject* const name = PyTuple_GET_ITEM(names, k);
        const std::size_t at = find(cls, name, hint);
        if (at == cls.count || to[at] != nullptr) {
            PyErr_Format(PyExc_TypeError,
                         at == cls.count ? "%s() got an unexpected keyword argument '%U'"
                                         : "%s() got multiple values for argument '%U'",
                         cls.name, name);
            return false;
        }
        to[at] = Py_NewRef(values[k]);
        hint = at + 1;
    }
    return true;
}

// `Class(...)`: what Python's vectorcall protocol calls.
template <class Holder>
PyObject* construct(PyObject* /*type*/, PyObject* const* args, std::size_t flagged,
                    PyObject* names) {
    constexpr std::size_t count = field_count<Holder>;
    const Class& cls = class_of<Holder>;
    const auto given = static_cast<std::size_t>(PyVectorcall_NARGS(flagged));
    if (given > count) {
        return PyErr_Format(PyExc_TypeError, "%s() takes at most %zu arguments (%zu given)",
                            cls.name, count, given);
    }
    PyObject* const self = allocate<count>(cls.type);
    if (self == nullptr) return nullptr;
    PyObject** const to = attributes(self);
    for (std::size_t i = 0; i < given; ++i) to[i] = Py_NewRef(args[i]);
    bool done = names == nullptr || keywords(cls, to, args + given, names);
    for (std::size_t i = 0; done && i < count; ++i) {
        if (to[i] != nullptr) continue;
        to[i] = cls.shared[i] != nullptr ? Py_NewRef(cls.shared[i]) : cls.fresh[i]();
        done = to[i] != nullptr;
    }
    PyObject_GC_Track(self);
    if (done) return self;
    Py_DECREF(self);
    return nullptr;
}

// `Class.__new__(Class, ...)`, which pickle and copy may call.
inline PyObject* make_new(vectorcallfunc construct, PyObject* args, PyObject* named) {
    std::vector<PyObject*> values;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
        values.push_back(PyTuple_GET_ITEM(args, i));
    const std::size_t given = values.size();
    nb::object names;
    if (named != nullptr) {
        names = nb::steal(PySequence_Tuple(named));
        if (!names.is_valid()) return nullptr;
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(named, &at, &key, &value);) values.push_back(value);
    }
    return construct(nullptr, values.data(), given, names.ptr());
}

inline PyObject* compare(const Class& cls, PyObject* self, PyObject* other, int operation) {
    if (Py_TYPE(self) != Py_TYPE(other) || (operation != Py_EQ && operation != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    for (std::size_t i = 0; i < cls.count; ++i) {
        // Comparing may run code that drops the values.
        const nb::object a = nb::borrow(attributes(self)[i]);
        const nb::object b = nb::borrow(attributes(other)[i]);
        if (!a.is_valid() || !b.is_valid()) {
            return PyErr_Format(PyExc_AttributeError, "%U", cls.names[i]);
        }
        const int same = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
        if (same < 0) return nullptr;
        if (same == 0) return PyBool_FromLong(operation == Py_NE);
    }
    return PyBool_FromLong(operation == Py_EQ);
}

// As a dataclass shows itself.
inline PyObject* represent(const Class& cls, PyObject* self) {
    const int around = Py_ReprEnter(self);
    if (around != 0) return around < 0 ? nullptr : PyUnicode_FromString("...");
    nb::object text = nb::steal(PyUnicode_FromFormat("%s(", cls.name));
    for (std::size_t i = 0; text.is_valid() && i < cls.count; ++i) {
        const nb::object value = nb::borrow(attributes(self)[i]);
        if (!value.is_valid()) {
            PyErr_SetObject(PyExc_AttributeError, cls.names[i]);
            text.reset();
            break;
        }
        text = nb::steal(PyUnicode_FromFormat("%U%s%U=%R", text.ptr(), i == 0 ? "" : ", ",
                                              cls.names[i], value.ptr()));
    }
    Py_ReprLeave(self);
    return text.is_valid() ? PyUnicode_FromFormat("%U)", text.ptr()) : nullptr;
}

// For pickle and copy: the class, no arguments, and the attributes to set.
inline PyObject* reduce(const Class& cls, PyObject* self) {
    const nb::object state = nb::steal(PyDict_New());
    if (!state.is_valid()) return nullptr;
    for (std::size_t i = 0; i < cls.count; ++i) {
        PyObject* const value = attributes(self)[i];
        if (value != nullptr && PyDict_SetItem(state.ptr(), cls.names[i], value) != 0)
            return nullptr;
    }
    return Py_BuildValue("O()(OO)", cls.type, Py_None, state.ptr());
}

}  // namespace wirecost::native
