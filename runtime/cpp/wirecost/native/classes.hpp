// SPDX-License-Identifier: Apache-2.0
// Makes the classes when the extension is imported. They stay as long as the process.
#pragma once

#include "wirecost/native/codecs.hpp"

namespace wirecost::native {

inline void check(bool fine) {
    if (!fine) throw nb::python_error();
}

template <class Holder, std::size_t... i>
const Give* gives(std::index_sequence<i...>) {
    static constexpr std::array<Give, sizeof...(i) + 1> made{give_from<Holder, i>...};
    return made.data();
}

template <class Holder, std::size_t... i>
const bool* lazies(std::index_sequence<i...>) {
    using Fields = typename Binding<Holder>::Fields;
    static constexpr std::array<bool, sizeof...(i) + 1> made{
        std::tuple_element_t<i, Fields>::lazy...};
    return made.data();
}

template <class Holder, std::size_t... i>
void describe(Class& cls, PyMemberDef* members, std::index_sequence<i...>) {
    using Fields = typename Binding<Holder>::Fields;
    ((cls.names[i] = PyUnicode_InternFromString(std::tuple_element_t<i, Fields>::name)), ...);
    for (std::size_t k = 0; k < sizeof...(i); ++k) {
        if (cls.lazy[k]) continue;
        *members++ = {PyUnicode_AsUTF8(cls.names[k]), T_OBJECT_EX,
                      static_cast<Py_ssize_t>(sizeof(PyObject) + k * sizeof(PyObject*)), 0,
                      nullptr};
    }
}

// Adds the lazy fields to a class as attributes.
inline void add_attributes(const Class& cls) {
    static PyObject* type = nullptr;
    if (type == nullptr) {
        std::array<PyType_Slot, 3> slots{{{Py_tp_descr_get, reinterpret_cast<void*>(get)},
                                          {Py_tp_descr_set, reinterpret_cast<void*>(set)},
                                          {0, nullptr}}};
        PyType_Spec spec{"wirecost.attribute", sizeof(Attribute), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
        type = PyType_FromSpec(&spec);
        check(type != nullptr);
    }
    for (std::size_t i = 0; i < cls.count; ++i) {
        if (!cls.lazy[i]) continue;
        auto* const made = PyObject_New(Attribute, reinterpret_cast<PyTypeObject*>(type));
        check(made != nullptr);
        made->cls = &cls;
        made->index = i;
        nb::setattr(reinterpret_cast<PyObject*>(cls.type), cls.names[i], nb::steal(&made->head));
    }
}

template <class Holder, std::size_t... i>
void share_defaults(Class& cls, std::index_sequence<i...>) {
    using Fields = typename Binding<Holder>::Fields;
    ((cls.shared[i] = std::tuple_element_t<i, Fields>::shared
                          ? cls.give[i](&default_instance<Holder>(), nullptr)
                          : nullptr),
     ...);
}

// A method of a codec. `decode_…` is a plain function in the class: nothing is bound in a call.
template <class Holder, class Codec>
void add_codec(std::vector<PyMethodDef>& methods, std::vector<PyMethodDef>& functions) {
    methods.push_back({Codec::encode_name, encode<Holder, Codec>, METH_NOARGS,
                       "The message's bytes. Raises WireError."});
    methods.push_back({Codec::encoded_size_name, encoded_size<Holder, Codec>, METH_NOARGS,
                       "How many bytes encoding makes."});
    functions.push_back(
        {Codec::decode_name,
         reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(decode<Holder, Codec>)),
         METH_FASTCALL | METH_KEYWORDS, "The message of exactly these bytes. Raises WireError."});
}

// Makes the type of `cls`, whose methods and functions stay where they are.
inline void make_class(nb::module_& module, const std::string& full, Class& cls,
                       const PyType_Slot* special, vectorcallfunc construct, PyMemberDef* members,
                       std::vector<PyMethodDef>& methods, std::vector<PyMethodDef>& functions) {
    methods.push_back({});
    std::vector<PyType_Slot> slots{
        {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
        {Py_tp_members, members},
        {Py_tp_methods, methods.data()},
    };
    for (; special->slot != 0; ++special) slots.push_back(*special);
    slots.push_back({0, nullptr});
    const std::size_t size = sizeof(PyObject) + cls.count * sizeof(PyObject*) +
                             (cls.defaults != nullptr ? sizeof(Unread) : 0);
    PyType_Spec spec{full.c_str(), static_cast<int>(size), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots.data()};
    const nb::object type = nb::steal(PyType_FromSpec(&spec));
    check(type.is_valid());
    cls.type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
    cls.type->tp_vectorcall = construct;
    module.attr(cls.name) = type;

    nb::object match = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(cls.count)));
    check(match.is_valid());
    for (std::size_t i = 0; i < cls.count; ++i) {
        PyTuple_SET_ITEM(match.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(cls.names[i]));
    }
    nb::setattr(type, "__match_args__", match);
    add_attributes(cls);
    for (PyMethodDef& function : functions) {
        const nb::object made = nb::steal(PyCFunction_NewEx(&function, type.ptr(), module.ptr()));
        check(made.is_valid());
        nb::setattr(type, function.ml_name, made);
    }
}

template <class Holder, class... Codecs>
void add_class(nb::module_& module, const std::string& package) {
    Class& cls = class_of<Holder>;
    if (cls.type != nullptr) {  // imported again
        module.attr(Binding<Holder>::name) = nb::handle(reinterpret_cast<PyObject*>(cls.type));
        return;
    }
    constexpr std::size_t count = field_count<Holder>;
    static std::array<PyObject*, count + 1> names{}, shared{};
    static std::array<PyMemberDef, count + 1> members{};
    static std::vector<PyMethodDef> methods, functions;
    static const std::string full = package + Binding<Holder>::module + "." + Binding<Holder>::name;

    constexpr auto indices = std::make_index_sequence<count>();
    cls = {nullptr,
           Binding<Holder>::name,
           count,
           names.data(),
           shared.data(),
           gives<Holder>(indices),
           lazies<Holder>(indices),
           is_lazy<Holder> ? &default_instance<Holder>() : nullptr};
    describe<Holder>(cls, members.data(), indices);
    (add_codec<Holder, Codecs>(methods, functions), ...);
    constexpr PyCFunction reduced = [](PyObject* self, PyObject* /*unused*/) {
        return reduce(class_of<Holder>, self);
    };
    constexpr newfunc made = [](PyTypeObject* /*type*/, PyObject* args, PyObject* named) {
        return make_new(construct<Holder>, args, named);
    };
    constexpr richcmpfunc compared = [](PyObject* self, PyObject* other, int operation) {
        return compare(class_of<Holder>, self, other, operation);
    };
    constexpr reprfunc shown = [](PyObject* self) { return represent(class_of<Holder>, self); };
    methods.push_back({"__reduce__", reduced, METH_NOARGS, nullptr});
    const std::array<PyType_Slot, 7> slots{{
        {Py_tp_dealloc, reinterpret_cast<void*>(deallocate<count, is_lazy<Holder>>)},
        {Py_tp_traverse, reinterpret_cast<void*>(traverse<count>)},
        {Py_tp_clear, reinterpret_cast<void*>(native::clear<count, is_lazy<Holder>>)},
        {Py_tp_new, reinterpret_cast<void*>(made)},
        {Py_tp_richcompare, reinterpret_cast<void*>(compared)},
        {Py_tp_repr, reinterpret_cast<void*>(shown)},
        {0, nullptr},
    }};
    make_class(module, full, cls, slots.data(), construct<Holder>, members.data(), methods,
               functions);
}

// Behind add_class of all holders, whose objects defaults can contain.
template <class Holder>
void complete_class() {
    Class& cls = class_of<Holder>;
    share_defaults<Holder>(cls, std::make_index_sequence<field_count<Holder>>());
    check(PyErr_Occurred() == nullptr);
}

}  // namespace wirecost::native
