// SPDX-License-Identifier: Apache-2.0
// Python classes of messages. An object holds Python values, one an attribute, as one of a slots
// dataclass does. Numbers are there from the start; texts, lists and messages, its lazy fields, are
// made when they are asked for, from a C++ holder that does not change and that all objects of a
// decoded message keep. The classes are made by hand rather than by nanobind::class_: constructors
// with keywords and attributes then cost what Python's own do.
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

// What the objects of a decoded message share; guarded by the interpreter's lock.
struct Keeper {
    std::size_t references = 1;
    void (*let_go)(Keeper*) noexcept = nullptr;
};

inline Keeper* hold(Keeper* keeper) noexcept {
    if (keeper != nullptr) ++keeper->references;
    return keeper;
}

inline void drop(Keeper* keeper) noexcept {
    if (keeper != nullptr && --keeper->references == 0) keeper->let_go(keeper);
}

// Makes a field's value from the holder that it is in.
using Give = PyObject* (*)(const void* holder, Keeper* keeper);

// What code that is the same for all classes knows of one.
struct Class {
    PyTypeObject* type = nullptr;
    const char* name = nullptr;
    std::size_t count = 0;
    PyObject** names = nullptr;   // interned
    PyObject** shared = nullptr;  // defaults; nullptr: made when they are asked for
    const Give* give = nullptr;
    const bool* lazy = nullptr;      // for each field
    const void* defaults = nullptr;  // a holder; nullptr if no field is lazy
};

template <class Holder>
inline Class class_of{};

template <class Fields>
inline constexpr bool any_lazy = false;
template <class... Fields>
inline constexpr bool any_lazy<std::tuple<Fields...>> = (Fields::lazy || ...);

template <class Holder>
inline constexpr bool is_lazy = any_lazy<typename Binding<Holder>::Fields>;

// The attributes lie behind the object's head.
inline PyObject** attributes(PyObject* self) noexcept {
    return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + sizeof(PyObject));
}

// Lies behind the attributes of an object with lazy fields. Those without a value are in `holder`;
// where that is nullptr, they were deleted.
struct Unread {
    const void* holder;
    Keeper* keeper;  // nullptr: the holder stays anyway
    std::size_t count;

    void end() noexcept {
        holder = nullptr;
        drop(std::exchange(keeper, nullptr));
    }
};

inline Unread& unread(PyObject* self, std::size_t count) noexcept {
    return *reinterpret_cast<Unread*>(attributes(self) + count);
}

// Objects of one size that are gone, for the next ones, as Python keeps those of its own types.
template <std::size_t count, bool lazy>
struct Gone {
    static inline PyObject* first = nullptr;  // its type is the next one
    static inline int room = 80;
};

// An object without values, which Python does not see yet.
template <std::size_t count, bool lazy>
PyObject* allocate(PyTypeObject* type) {
    using Gone = native::Gone<count, lazy>;
    PyObject* self = Gone::first;
    if (self != nullptr) {
        Gone::first = reinterpret_cast<PyObject*>(self->ob_type);
        ++Gone::room;
        PyObject_Init(self, type);
    } else if ((self = PyObject_GC_New(PyObject, type)) == nullptr) {
        return nullptr;
    }
    std::fill_n(attributes(self), count, nullptr);
    if constexpr (lazy) unread(self, count) = {};
    return self;
}

template <std::size_t count, bool lazy>
void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    for (std::size_t i = 0; i < count; ++i) Py_XDECREF(attributes(self)[i]);
    if constexpr (lazy) unread(self, count).end();
    if (Gone<count, lazy>::room > 0) {
        --Gone<count, lazy>::room;
        self->ob_type =
            reinterpret_cast<PyTypeObject*>(std::exchange(Gone<count, lazy>::first, self));
    } else {
        PyObject_GC_Del(self);
    }
    Py_DECREF(type);
}

inline int destroyed = 0;  // objects that are being deallocated, most within each other

template <std::size_t count, bool lazy>
void deallocate(PyObject* self) {
    PyObject_GC_UnTrack(self);
    if (destroyed < 40) {
        ++destroyed;
        destroy<count, lazy>(self);
        --destroyed;
        return;
    }
    // Else the end of a long chain of messages would exhaust the stack.
    Py_TRASHCAN_BEGIN(self, (deallocate<count, lazy>));
    destroy<count, lazy>(self);
    Py_TRASHCAN_END;
}

template <std::size_t count>
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    for (std::size_t i = 0; i < count; ++i) Py_VISIT(attributes(self)[i]);
    return 0;
}

template <std::size_t count, bool lazy>
int clear(PyObject* self) {
    if constexpr (lazy) unread(self, count).end();
    for (std::size_t i = 0; i < count; ++i) Py_CLEAR(attributes(self)[i]);
    return 0;
}

// A lazy field gets its first value.
inline void fill(const Class& cls, PyObject* self, std::size_t i, PyObject* value) noexcept {
    attributes(self)[i] = value;
    Unread& rest = unread(self, cls.count);
    if (rest.holder != nullptr && --rest.count == 0) rest.end();
}

// Makes the value of a lazy field that has none. Returns nullptr, without an error, if it was
// deleted.
[[gnu::noinline]] inline PyObject* read(const Class& cls, PyObject* self, std::size_t i) {
    const Unread& rest = unread(self, cls.count);
    if (rest.holder == nullptr) return nullptr;
    Keeper* const keeper = hold(rest.keeper);
    PyObject* const value = cls.give[i](rest.holder, keeper);
    drop(keeper);
    if (value == nullptr) return nullptr;
    // Collecting garbage meanwhile may have run code that was faster.
    if (attributes(self)[i] == nullptr && rest.holder != nullptr) {
        fill(cls, self, i, value);
    } else {
        Py_DECREF(value);
    }
    return attributes(self)[i];
}

// A field's value, borrowed; nullptr, without an error, if it was deleted.
inline PyObject* value_of(const Class& cls, PyObject* self, std::size_t i) {
    PyObject* const value = attributes(self)[i];
    return value != nullptr || !cls.lazy[i] ? value : read(cls, self, i);
}

inline PyObject* missing(const Class& cls, std::size_t i) {
    if (PyErr_Occurred() == nullptr) PyErr_SetObject(PyExc_AttributeError, cls.names[i]);
    return nullptr;
}

// A lazy field as an attribute of its class. Python's own descriptors do more in each call.
struct Attribute {
    PyObject head;
    const Class* cls;
    std::size_t index;
};

inline bool belongs(PyObject* self, const Class& cls) {
    if (Py_TYPE(self) == cls.type) return true;
    PyErr_Format(PyExc_TypeError, "'%s' is not %s", Py_TYPE(self)->tp_name, cls.name);
    return false;
}

inline PyObject* get(PyObject* attribute, PyObject* self, PyObject* /*type*/) {
    if (self == nullptr) return Py_NewRef(attribute);
    const Class& cls = *reinterpret_cast<const Attribute*>(attribute)->cls;
    const std::size_t i = reinterpret_cast<const Attribute*>(attribute)->index;
    if (!belongs(self, cls)) return nullptr;
    PyObject* value = attributes(self)[i];
    if (value == nullptr) value = read(cls, self, i);
    if (value == nullptr && PyErr_Occurred() == nullptr) {
        PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'", cls.type->tp_name,
                     cls.names[i]);
    }
    return Py_XNewRef(value);
}

inline int set(PyObject* attribute, PyObject* self, PyObject* value) {
    const Class& cls = *reinterpret_cast<const Attribute*>(attribute)->cls;
    const std::size_t i = reinterpret_cast<const Attribute*>(attribute)->index;
    if (!belongs(self, cls)) return -1;
    PyObject*& slot = attributes(self)[i];
    if (value == nullptr) {  // then all others are made: those without a value are deleted ones
        for (std::size_t k = 0; k < cls.count; ++k) {
            if (value_of(cls, self, k) == nullptr && PyErr_Occurred() != nullptr) return -1;
        }
        if (slot == nullptr) missing(cls, i);
        const int result = slot == nullptr ? -1 : 0;
        Py_CLEAR(slot);
        return result;
    }
    if (slot == nullptr) {
        fill(cls, self, i, Py_NewRef(value));
    } else {
        Py_DECREF(std::exchange(slot, Py_NewRef(value)));
    }
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
    constexpr bool lazy = is_lazy<Holder>;
    const Class& cls = class_of<Holder>;
    const auto given = static_cast<std::size_t>(PyVectorcall_NARGS(flagged));
    if (given > count) {
        return PyErr_Format(PyExc_TypeError, "%s() takes at most %zu arguments (%zu given)",
                            cls.name, count, given);
    }
    PyObject* const self = allocate<count, lazy>(cls.type);
    if (self == nullptr) return nullptr;
    PyObject** const to = attributes(self);
    for (std::size_t i = 0; i < given; ++i) to[i] = Py_NewRef(args[i]);
    const bool done = names == nullptr || keywords(cls, to, args + given, names);
    std::size_t later = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (to[i] != nullptr) continue;
        to[i] = Py_XNewRef(cls.shared[i]);
        later += to[i] == nullptr ? 1 : 0;
    }
    if constexpr (lazy) {
        if (later != 0) unread(self, count) = {cls.defaults, nullptr, later};
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
        const nb::object a = nb::borrow(value_of(cls, self, i));
        if (!a.is_valid()) return missing(cls, i);
        const nb::object b = nb::borrow(value_of(cls, other, i));
        if (!b.is_valid()) return missing(cls, i);
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
        const nb::object value = nb::borrow(value_of(cls, self, i));
        if (!value.is_valid()) {
            missing(cls, i);
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
        PyObject* const value = value_of(cls, self, i);
        if (value == nullptr && PyErr_Occurred() != nullptr) return nullptr;
        if (value != nullptr && PyDict_SetItem(state.ptr(), cls.names[i], value) != 0)
            return nullptr;
    }
    return Py_BuildValue("O()(OO)", cls.type, Py_None, state.ptr());
}

}  // namespace wirecost::native
