// SPDX-License-Identifier: Apache-2.0
// encode_…, decode_… and encoded_size_… of the classes, and the classes' making.
#pragma once

#include "wirecost/native/fields.hpp"

namespace wirecost::native {

inline PyObject* wire_error = nullptr;

// Python's strings are Unicode: what is none is refused on every wire.
constexpr Limits python_limits = [] {
    Limits limits;
    limits.utf8 = true;
    return limits;
}();

// Messages larger than this leave no memory behind.
constexpr std::size_t kept_most = std::size_t{1} << 20U;

// A holder to work in, mostly the one used before, whose storage serves again. Python code that
// runs meanwhile and encodes or decodes gets another one, and so does who comes while objects keep
// this one.
template <class Holder>
class Lease {
  public:
    Lease() : kept_(std::exchange(spare(), nullptr)) {
        if (kept_ == nullptr) kept_ = new Kept();
        kept_->references = 1;
        kept_->serves_again = false;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { drop(kept_); }
    Holder& operator*() noexcept { return kept_->holder; }
    Keeper* keeper() noexcept { return kept_; }
    void keep(std::size_t message_size) noexcept {
        kept_->serves_again = message_size <= kept_most;
    }

  private:
    struct Kept : Keeper {
        Kept() { let_go = back; }
        Holder holder{};
        bool serves_again = false;
    };
    static Kept*& spare() noexcept {
        static Kept* kept = nullptr;  // guarded by the interpreter's lock
        return kept;
    }
    static void back(Keeper* keeper) noexcept {
        auto* const kept = static_cast<Kept*>(keeper);
        if (kept->serves_again && spare() == nullptr) {
            spare() = kept;
        } else {
            delete kept;
        }
    }

    Kept* kept_;
};

inline PyObject* raise(PyObject* reason, PyObject* position) {
    const nb::object error =
        nb::steal(PyObject_CallFunctionObjArgs(wire_error, reason, position, nullptr));
    if (error.is_valid()) PyErr_SetObject(wire_error, error.ptr());
    return nullptr;
}

// WireError in place of what went wrong while encoding, as its cause; others stay.
[[gnu::cold, gnu::noinline]] inline PyObject* encode_failed(const char* name) {
    for (PyObject* other : {PyExc_ArithmeticError, PyExc_AttributeError, PyExc_IndexError,
                            PyExc_RecursionError, PyExc_TypeError, PyExc_ValueError}) {
        if (PyErr_ExceptionMatches(other) == 0) continue;
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        const nb::object reason =
            nb::steal(PyUnicode_FromFormat("%s cannot be encoded: %S", name, value));
        if (reason.is_valid()) raise(reason.ptr(), Py_None);
        PyObject *new_type = nullptr, *new_value = nullptr, *new_trace = nullptr;
        PyErr_Fetch(&new_type, &new_value, &new_trace);
        PyErr_NormalizeException(&new_type, &new_value, &new_trace);
        PyException_SetCause(new_value, value);  // takes `value`
        PyErr_Restore(new_type, new_value, new_trace);
        Py_XDECREF(type);
        Py_XDECREF(trace);
        break;
    }
    return nullptr;
}

[[gnu::cold, gnu::noinline]] inline PyObject* encode_failed(const char* name, Error error) {
    PyErr_SetString(PyExc_ValueError, error.what());
    return encode_failed(name);
}

[[gnu::cold, gnu::noinline]] inline PyObject* decode_failed(Error error) {
    const nb::object reason = nb::steal(PyUnicode_FromString(error.what()));
    const nb::object position = nb::steal(PyLong_FromSize_t(error.position));
    return reason.is_valid() && position.is_valid() ? raise(reason.ptr(), position.ptr()) : nullptr;
}

// C++ exceptions, which can only be about memory, as Python's.
template <class Function>
PyObject* guarded(Function function) noexcept {
    try {
        return function();
    } catch (const std::length_error& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (...) {
        PyErr_NoMemory();
    }
    return nullptr;
}

// What every codec of a message begins with.
template <class Holder>
[[gnu::noinline]] bool take_whole(PyObject* self, Holder& m) {
    return take_message(self, m, 1);
}

template <class Holder, class Codec>
PyObject* encode(PyObject* self, PyObject* /*unused*/) {
    return guarded([self]() -> PyObject* {
        const char* const name = class_of<Holder>.name;
        Lease<Holder> lease;
        Holder& m = *lease;
        if (!take_whole(self, m)) return encode_failed(name);
        std::array<std::byte, 2048> small;  // most messages fit: then their size is not asked for
        Encoded encoded = Codec::encode(m, small);
        if (encoded.error.reason == Reason::buffer_too_small) {
            const std::size_t size = Codec::encoded_size(m);
            nb::object bytes =
                nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
            if (!bytes.is_valid()) return nullptr;
            auto* const begin = reinterpret_cast<std::byte*>(PyBytes_AS_STRING(bytes.ptr()));
            encoded = Codec::encode(m, std::span(begin, size));
            if (encoded.error) return encode_failed(name, encoded.error);
            lease.keep(size);
            return bytes.release().ptr();
        }
        if (encoded.error) return encode_failed(name, encoded.error);
        lease.keep(encoded.bytes.size());
        return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(encoded.bytes.data()),
                                         static_cast<Py_ssize_t>(encoded.bytes.size()));
    });
}

template <class Holder, class Codec>
PyObject* encoded_size(PyObject* self, PyObject* /*unused*/) {
    return guarded([self]() -> PyObject* {
        Lease<Holder> lease;
        if (!take_whole(self, *lease)) return encode_failed(class_of<Holder>.name);
        const std::size_t size = Codec::encoded_size(*lease);
        lease.keep(size);
        return PyLong_FromSize_t(size);
    });
}

template <class Holder, class Codec>
PyObject* decode_bytes(const char* data, std::size_t size) {
    return guarded([=]() -> PyObject* {
        Lease<Holder> lease;
        const auto* const begin = reinterpret_cast<const std::byte*>(data);
        const Error error = Codec::decode(std::span(begin, size), *lease);
        if (error) return decode_failed(error);
        PyObject* const made = give_message(*lease, lease.keeper());
        if (made != nullptr) lease.keep(size);
        return made;
    });
}

// The only argument, `data`.
inline PyObject* data_of(PyObject* const* args, Py_ssize_t given, PyObject* names) {
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (given + named == 1 &&
        (named == 0 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "data") == 0)) {
        return args[0];
    }
    PyErr_SetString(PyExc_TypeError, "exactly one argument is needed: data");
    return nullptr;
}

template <class Holder, class Codec>
PyObject* decode(PyObject* /*type*/, PyObject* const* args, Py_ssize_t given, PyObject* names) {
    PyObject* const data = data_of(args, given, names);
    if (data == nullptr) return nullptr;
    if (PyBytes_CheckExact(data)) {
        return decode_bytes<Holder, Codec>(PyBytes_AS_STRING(data),
                                           static_cast<std::size_t>(PyBytes_GET_SIZE(data)));
    }
    if (PyObject_CheckBuffer(data) == 0) {
        const nb::object reason =
            nb::steal(PyUnicode_FromFormat("%s is not bytes", Py_TYPE(data)->tp_name));
        const nb::object position = nb::steal(PyLong_FromLong(0));
        return reason.is_valid() ? raise(reason.ptr(), position.ptr()) : nullptr;
    }
    if (const Buffer buffer(data); buffer)
        return decode_bytes<Holder, Codec>(buffer.data(), buffer.size());
    const nb::object copy = nb::steal(PyBytes_FromObject(data));  // its bytes are scattered
    if (!copy.is_valid()) return nullptr;
    return decode_bytes<Holder, Codec>(PyBytes_AS_STRING(copy.ptr()),
                                       static_cast<std::size_t>(PyBytes_GET_SIZE(copy.ptr())));
}

}  // namespace wirecost::native
