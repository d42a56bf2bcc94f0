// SPDX-License-Identifier: Apache-2.0
// How a holder's values become Python's (`give`) and Python's a holder's (`take`): a policy for
// each kind of value. `lazy`: made when it is asked for; `flat`: without messages, so that a holder
// of a decoded message's is copied as it is. Both return nullptr or false with a Python error set.
// `take` may run Python code (`__index__`, iterators), so callers own what they pass and look at
// sizes again.
#pragma once

#include "wirecost/native/objects.hpp"

namespace wirecost::native {

// How deep messages may be nested in what is encoded.
constexpr int deepest = 500;

inline bool refuse(PyObject* value, const char* wanted) {
    PyErr_Format(PyExc_TypeError, "'%s' is not %s", Py_TYPE(value)->tp_name, wanted);
    return false;
}

inline bool refuse_range(PyObject* value) {
    PyErr_Format(PyExc_OverflowError, "%R is out of range", value);
    return false;
}

inline bool refuse_count(std::size_t count, std::size_t capacity) {
    PyErr_Format(PyExc_ValueError, "it has %zu elements or bytes; it takes %zu", count, capacity);
    return false;
}

// Of an int that is one digit, or nothing: Python's functions ask more of it than its value.
inline std::optional<long long> small_integer(PyObject* value) noexcept {
    if (!PyLong_CheckExact(value)) return std::nullopt;
#if PY_VERSION_HEX >= 0x030C0000
    const auto* const number = reinterpret_cast<PyLongObject*>(value);
    if (!PyUnstable_Long_IsCompact(number)) return std::nullopt;
    return PyUnstable_Long_CompactValue(number);
#else
    const Py_ssize_t size = Py_SIZE(value);
    if (size == 0) return 0;
    if (size < -1 || size > 1) return std::nullopt;
    return static_cast<long long>(size) * reinterpret_cast<PyLongObject*>(value)->ob_digit[0];
#endif
}

// Integers and enums, which are integers in Python as well.
template <class T>
struct Integer {
    static constexpr bool shared = true;
    static constexpr bool lazy = false;
    static constexpr bool flat = true;
    using Number = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                               std::type_identity<T>>::type;

    static PyObject* give(T value, Keeper* /*keeper*/) {
        const auto number = static_cast<Number>(value);
        if constexpr (std::is_signed_v<Number>) return PyLong_FromLongLong(number);
        return PyLong_FromUnsignedLongLong(static_cast<std::make_unsigned_t<Number>>(number));
    }
    // Takes what is taken without running any code; false for everything else.
    static bool take_plain(PyObject* value, T& to) noexcept {
        const auto small = small_integer(value);
        if (!small || !std::in_range<Number>(*small)) return false;
        to = static_cast<T>(*small);
        return true;
    }
    static bool take(PyObject* value, T& to, int depth) {
        return take_plain(value, to) || take_any(value, to, depth);
    }

  private:
    [[gnu::noinline]] static bool take_any(PyObject* value, T& to, int depth) {
        if (!PyLong_Check(value)) {
            if (!PyIndex_Check(value)) return refuse(value, "an int");
            const nb::object number = nb::steal(PyNumber_Index(value));
            return number.is_valid() && take_any(number.ptr(), to, depth);
        }
        if constexpr (sizeof(Number) == 8 && std::is_unsigned_v<Number>) {
            const unsigned long long number = PyLong_AsUnsignedLongLong(value);
            if (number == std::numeric_limits<unsigned long long>::max() &&
                PyErr_Occurred() != nullptr) {
                PyErr_Clear();
                return refuse_range(value);
            }
            to = static_cast<T>(number);
        } else {
            int over = 0;
            const long long number = PyLong_AsLongLongAndOverflow(value, &over);
            if (over != 0 || !std::in_range<Number>(number)) return refuse_range(value);
            to = static_cast<T>(number);
        }
        return true;
    }
};

struct Boolean {
    static constexpr bool shared = true;
    static constexpr bool lazy = false;
    static constexpr bool flat = true;
    static PyObject* give(bool value, Keeper* /*keeper*/) { return PyBool_FromLong(value); }
    template <class T>
    static bool take(PyObject* value, T& to, int /*depth*/) {
        const int truth = value == Py_True ? 1 : PyObject_IsTrue(value);
        to = truth > 0;
        return truth >= 0;
    }
};

template <class T>
struct Real {
    static constexpr bool shared = true;
    static constexpr bool lazy = false;
    static constexpr bool flat = true;
    static PyObject* give(T value, Keeper* /*keeper*/) { return PyFloat_FromDouble(value); }
    static bool take_plain(PyObject* value, T& to) noexcept {
        if (!PyFloat_CheckExact(value) || !fits(PyFloat_AS_DOUBLE(value))) return false;
        to = static_cast<T>(PyFloat_AS_DOUBLE(value));
        return true;
    }
    static bool take(PyObject* value, T& to, int /*depth*/) {
        return take_plain(value, to) || take_any(value, to);
    }

  private:
    static bool fits(double number) noexcept {
        if constexpr (sizeof(T) == sizeof(double)) return true;
        // Rounding to nearest: from half a step beyond the largest there is only infinity.
        constexpr double beyond = std::numeric_limits<T>::max() + 0x1p103;
        return number - number != 0 || (number < beyond && number > -beyond);
    }
    [[gnu::noinline]] static bool take_any(PyObject* value, T& to) {
        const double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
            PyErr_Clear();
            return refuse(value, "a float");
        }
        if (!fits(number)) return refuse_range(value);
        to = static_cast<T>(number);
        return true;
    }
};

// What is this short is made at once, as that takes less than being asked for it later.
constexpr std::size_t short_text = 32;

struct Text {
    static constexpr bool shared = true;
    static constexpr bool lazy = true;
    static constexpr bool flat = true;
    static bool is_cheap(const auto& text) { return text.size() <= short_text; }
    template <class T>
    static PyObject* give(const T& text, Keeper* /*keeper*/) {
        return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    }
    template <class T>
    static bool take(PyObject* value, T& to, int /*depth*/) {
        if (!PyUnicode_Check(value)) return refuse(value, "a str: it cannot be encoded");
        if (PyUnicode_IS_COMPACT_ASCII(value)) {
            to.assign(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(value)),
                      static_cast<std::size_t>(PyUnicode_GET_LENGTH(value)));
            return true;
        }
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
        if (text != nullptr) to.assign(text, static_cast<std::size_t>(size));
        return text != nullptr;
    }
};

// A contiguous buffer, as long as this lives.
class Buffer {
  public:
    explicit Buffer(PyObject* owner)
        : held_(PyObject_GetBuffer(owner, &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) {
        if (!held_) PyErr_Clear();
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (held_) PyBuffer_Release(&view_);
    }
    explicit operator bool() const noexcept { return held_; }
    const char* data() const noexcept { return static_cast<const char*>(view_.buf); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }

    // Whether its elements are of a machine type: signed and unsigned integers, floats and
    // bytes are distinguished, not `long` from `long long`.
    template <class T>
    bool holds() const noexcept {
        const char* const format = view_.format == nullptr ? "B" : view_.format;
        if (view_.itemsize != sizeof(T) || format[0] == '\0' || format[1] != '\0') return false;
        const std::string_view codes = std::is_floating_point_v<T> ? "fd"
                                       : std::is_signed_v<T>       ? "bhilq"
                                                                   : "BHILQ";
        return codes.find(format[0]) != std::string_view::npos;
    }

  private:
    Py_buffer view_{};
    bool held_;
};

struct Bytes {
    static constexpr bool shared = true;
    static constexpr bool lazy = true;
    static constexpr bool flat = true;
    static bool is_cheap(const auto& bytes) { return bytes.size() <= short_text; }
    template <class T>
    static PyObject* give(const T& bytes, Keeper* /*keeper*/) {
        return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                         static_cast<Py_ssize_t>(bytes.size()));
    }
    template <class T>
    static bool take(PyObject* value, T& to, int /*depth*/) {
        if (PyBytes_CheckExact(value)) {
            to.assign(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
            return true;
        }
        const Buffer buffer(value);
        if (!buffer) return refuse(value, "bytes");
        to.assign(buffer.data(), buffer.size());
        return true;
    }
};

template <class Policy>
struct Maybe {  // of Optional and Box
    static constexpr bool shared = true;
    static constexpr bool lazy = Policy::lazy;
    static constexpr bool flat = false;
    static bool is_cheap(const auto& value) {
        if constexpr (requires { Policy::is_cheap(*value); })
            return !value.has_value() || Policy::is_cheap(*value);
        return !value.has_value();
    }
    template <class T>
    static PyObject* give(const T& value, Keeper* keeper) {
        return value.has_value() ? Policy::give(*value, keeper) : Py_NewRef(Py_None);
    }
    template <class T>
    static bool take(PyObject* value, T& to, int depth) {
        if (value != Py_None) return Policy::take(value, to.overwrite(), depth);
        to.reset();
        return true;
    }
};

// `count` elements with any content.
template <class T>
bool resize(T& to, std::size_t count) {
    if constexpr (requires { to.overwrite(count); }) {
        to.overwrite(count);
    } else if constexpr (requires { to.resize(count); }) {
        to.resize(count);
    } else if (to.size() != count) {
        return refuse_count(count, to.size());
    }
    return true;
}

template <class Policy>
struct List {
    static constexpr bool shared = false;
    static constexpr bool lazy = true;
    static constexpr bool flat = Policy::flat;
    template <class T>
    static PyObject* give(const T& values, Keeper* keeper) {
        PyObject* const list = PyList_New(static_cast<Py_ssize_t>(values.size()));
        if (list == nullptr || values.size() == 0) return list;
        PyObject_GC_UnTrack(list);  // not to be seen with gaps
        for (std::size_t i = 0; i < values.size(); ++i) {
            PyObject* const element = Policy::give(values[i], keeper);
            if (element == nullptr) {
                Py_DECREF(list);
                return nullptr;
            }
            PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), element);
        }
        PyObject_GC_Track(list);
        return list;
    }
    template <class T>
    static bool take(PyObject* value, T& to, int depth) {
        if (PyUnicode_Check(value) || PyBytes_Check(value) || PyByteArray_Check(value)) {
            return refuse(value, "a list");  // nor is it one of its letters
        }
        const nb::object values = nb::steal(PySequence_Fast(value, ""));
        if (!values.is_valid()) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
            PyErr_Clear();
            return refuse(value, "a list");
        }
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(values.ptr());
        if (!resize(to, static_cast<std::size_t>(count))) return false;
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (PySequence_Fast_GET_SIZE(values.ptr()) != count) {
                PyErr_SetString(PyExc_ValueError, "the list changed while it was encoded");
                return false;
            }
            PyObject* const item = PySequence_Fast_GET_ITEM(values.ptr(), i);
            auto&& into = to[static_cast<std::size_t>(i)];
            if constexpr (requires { Policy::take_plain(item, into); }) {
                if (Policy::take_plain(item, into)) continue;
            }
            const nb::object element = nb::borrow(item);
            if (!Policy::take(element.ptr(), into, depth)) return false;
        }
        return true;
    }
};

template <class T>
bool copy_elements(const Buffer& buffer, T& to) {
    using Element = typename T::value_type;
    if (!resize(to, buffer.size() / sizeof(Element))) return false;
    if (buffer.size() != 0) std::memcpy(to.data(), buffer.data(), buffer.size());
    return true;
}

// Repeated numbers, which Python holds as array.array.
template <class Policy, char code>
struct Numbers {
    static constexpr bool shared = false;
    static constexpr bool lazy = true;
    static constexpr bool flat = true;

    static PyObject* one() {  // an array of one element
        const nb::object module = nb::steal(PyImport_ImportModule("array"));
        return module.is_valid() ? PyObject_CallMethod(module.ptr(), "array", "C(i)", code, 0)
                                 : nullptr;
    }
    // Repeating an array of one element allocates one of any size, without a copy of its content.
    static PyObject* repeated(std::size_t count) {
        static PyObject* prototype = nullptr;
        if (prototype == nullptr && (prototype = one()) == nullptr) return nullptr;
        return Py_TYPE(prototype)->tp_as_sequence->sq_repeat(prototype,
                                                             static_cast<Py_ssize_t>(count));
    }
    template <class T>
    static PyObject* give(const T& values, Keeper* /*keeper*/) {
        PyObject* const made = repeated(values.size());
        if (made == nullptr || values.size() == 0) return made;
        Py_buffer view;
        if (PyObject_GetBuffer(made, &view, PyBUF_WRITABLE) != 0) {
            Py_DECREF(made);
            return nullptr;
        }
        std::memcpy(view.buf, values.data(), static_cast<std::size_t>(view.len));
        PyBuffer_Release(&view);
        return made;
    }
    template <class T>
    static bool take(PyObject* value, T& to, int depth) {
        if (PyObject_CheckBuffer(value) != 0) {
            const Buffer buffer(value);
            if (buffer && buffer.holds<typename T::value_type>()) return copy_elements(buffer, to);
        }
        return List<Policy>::take(value, to, depth);
    }
};

// Repeated uint8, which Python holds as bytes.
struct ByteString {
    static constexpr bool shared = true;
    static constexpr bool lazy = true;
    static constexpr bool flat = true;
    template <class T>
    static PyObject* give(const T& values, Keeper* keeper) {
        return Bytes::give(values, keeper);
    }
    template <class T>
    static bool take(PyObject* value, T& to, int depth) {
        if (PyObject_CheckBuffer(value) != 0) {
            const Buffer buffer(value);
            if (buffer && buffer.holds<std::uint8_t>()) return copy_elements(buffer, to);
        }
        return List<Integer<std::uint8_t>>::take(value, to, depth);
    }
};

template <class Key, class Value>
struct Dict {
    static constexpr bool shared = false;
    static constexpr bool lazy = true;
    static constexpr bool flat = false;
    template <class T>
    static PyObject* give(const T& map, Keeper* keeper) {
        nb::object made = nb::steal(PyDict_New());
        if (!made.is_valid()) return nullptr;
        for (const auto& entry : map) {
            const nb::object key = nb::steal(Key::give(entry.key, keeper));
            if (!key.is_valid()) return nullptr;
            const nb::object value = nb::steal(Value::give(entry.value, keeper));
            if (!value.is_valid() || PyDict_SetItem(made.ptr(), key.ptr(), value.ptr()) != 0)
                return nullptr;
        }
        return made.release().ptr();
    }
    template <class T>
    static bool take(PyObject* value, T& to, int depth) {
        to.clear();
        if (!PyDict_Check(value)) return refuse(value, "a dict");
        // A list of tuples of our own: what runs meanwhile may change the dict.
        const nb::object items = nb::steal(PyDict_Items(value));
        if (!items.is_valid()) return false;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
            const nb::object item = nb::borrow(PyList_GET_ITEM(items.ptr(), i));
            auto& entry = to.append();
            if (!Key::take(PyTuple_GET_ITEM(item.ptr(), 0), entry.key, depth)) return false;
            if (!Value::take(PyTuple_GET_ITEM(item.ptr(), 1), entry.value, depth)) return false;
        }
        to.settle();
        return true;
    }
};

// At most so many elements, or bytes of a string.
template <std::size_t capacity, class Policy>
struct AtMost : Policy {
    template <class T>
    static bool take(PyObject* value, T& to, int depth) {
        if (!Policy::take(value, to, depth)) return false;
        return to.size() <= capacity || refuse_count(to.size(), capacity);
    }
};

}  // namespace wirecost::native
