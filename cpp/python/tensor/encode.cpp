// SPDX-License-Identifier: Apache-2.0
// Messages of plain values and arrays to frames: the same bytes that wirecost/tensor/writer.py
// makes.
#include "encode.hpp"

#include <array>
#include <bit>
#include <vector>

#include "element_types.hpp"
#include "frame.hpp"

namespace wirecost::tensor {

namespace {

// Bytes and strings above this are segments, which Python makes.
constexpr Py_ssize_t most_inline = 1024;
// Of a list or dict: large ones are Python's, before work is done in vain.
constexpr Py_ssize_t most_items = 4096;
constexpr int most_nested = 32;
constexpr std::uint8_t tensor_extension = 1;

// MessagePack as its own library writes it: every number in the fewest bytes.
class Packed {
 public:
  Bytes bytes() const { return bytes_; }

  void byte(unsigned value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }
  void text(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  template <class T>
  void big(T value) {
    for (std::size_t i = sizeof value; i-- > 0;) byte(static_cast<unsigned>(value >> 8 * i) & 0xFF);
  }

  void unsigned_number(std::uint64_t value) {
    if (value < 0x80) return byte(static_cast<unsigned>(value));
    if (value <= 0xFF) return byte(0xCC), byte(static_cast<unsigned>(value));
    if (value <= 0xFFFF) return byte(0xCD), big(static_cast<std::uint16_t>(value));
    if (value <= 0xFFFFFFFF) return byte(0xCE), big(static_cast<std::uint32_t>(value));
    byte(0xCF), big(value);
  }
  void number(std::int64_t value) {
    if (value >= 0) return unsigned_number(static_cast<std::uint64_t>(value));
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= -0x20) return byte(bits & 0xFF);
    if (value >= INT8_MIN) return byte(0xD0), byte(bits & 0xFF);
    if (value >= INT16_MIN) return byte(0xD1), big(static_cast<std::uint16_t>(bits));
    if (value >= INT32_MIN) return byte(0xD2), big(static_cast<std::uint32_t>(bits));
    byte(0xD3), big(bits);
  }
  void real(double value) { byte(0xCB), big(std::bit_cast<std::uint64_t>(value)); }
  void string(std::string_view value) {
    if (value.size() < 0x20)
      byte(0xA0 | static_cast<unsigned>(value.size()));
    else
      sized(value.size(), 0xD9);
    text(value);
  }
  void binary(std::string_view value) { sized(value.size(), 0xC4), text(value); }
  // `few`: the first byte of a collection of none, `many`: that of one with a length of two bytes.
  void collection(std::size_t size, unsigned few, unsigned many) {
    if (size < 0x10) return byte(few | static_cast<unsigned>(size));
    if (size <= 0xFFFF) return byte(many), big(static_cast<std::uint16_t>(size));
    byte(many + 1), big(static_cast<std::uint32_t>(size));
  }
  void array(std::size_t size) { collection(size, 0x90, 0xDC); }
  void map(std::size_t size) { collection(size, 0x80, 0xDE); }

  void tensor(std::size_t segment, std::string_view type, PyArrayObject* array) {
    Packed payload;
    payload.array(5);
    payload.unsigned_number(segment);
    payload.string(type);
    const auto dimensions = static_cast<std::size_t>(PyArray_NDIM(array));
    payload.array(dimensions);
    for (std::size_t i = 0; i < dimensions; ++i) payload.number(PyArray_DIMS(array)[i]);
    payload.byte(0xC0);
    payload.string("numpy");
    const std::size_t size = payload.bytes_.size();
    if (size == 16)  // the only length of these payloads that has a form of its own
      byte(0xD8);
    else
      sized(size, 0xC7);
    byte(tensor_extension);
    bytes_.insert(bytes_.end(), payload.bytes_.begin(), payload.bytes_.end());
  }

 private:
  // `first`: the byte before a length of one byte; those of two and four bytes have the next ones.
  void sized(std::size_t size, unsigned first) {
    if (size <= 0xFF) return byte(first), byte(static_cast<unsigned>(size));
    if (size <= 0xFFFF) return byte(first + 1), big(static_cast<std::uint16_t>(size));
    byte(first + 2), big(static_cast<std::uint32_t>(size));
  }

  std::vector<std::uint8_t> bytes_;
};

class Writer {
 public:
  // Whether the value is one of those that are handled here. No error is set where it is not.
  bool add(PyObject* value, int nested = 0) {
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyArray_Type) return add_array(as_array(value));
    if (type == &PyFloat_Type) return packed_.real(PyFloat_AS_DOUBLE(value)), true;
    if (type == &PyLong_Type) return add_integer(value);
    if (type == &PyUnicode_Type) return add_string(value);
    if (value == Py_None) return packed_.byte(0xC0), true;
    if (type == &PyBool_Type) return packed_.byte(value == Py_True ? 0xC3 : 0xC2), true;
    if (type == &PyBytes_Type) return add_bytes(value);
    if (nested == most_nested) return false;
    if (type == &PyDict_Type) return add_dict(value, nested + 1);
    if (type == &PyList_Type) return add_list(value, nested + 1);
    return false;
  }

  PyObject* frame() const {
    if (arrays_.size() > most_segments || packed_.bytes().size() > most_header / 2) return nullptr;
    return make_frame(packed_.bytes(), arrays_);
  }

 private:
  bool add_array(PyArrayObject* array) {
    const std::string_view name = name_of(PyArray_DESCR(array));
    if (name.empty() || !PyArray_IS_C_CONTIGUOUS(array)) return false;
    packed_.tensor(arrays_.size(), name, array);
    arrays_.push_back(array);
    return true;
  }

  bool add_integer(PyObject* value) {
    int overflow = 0;
    const std::int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) return false;
    return packed_.number(number), true;
  }

  bool add_string(PyObject* value) {
    if (PyUnicode_GET_LENGTH(value) > most_inline) return false;
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
    if (text == nullptr) return PyErr_Clear(), false;
    return packed_.string({text, static_cast<std::size_t>(size)}), true;
  }

  bool add_bytes(PyObject* value) {
    const Py_ssize_t size = PyBytes_GET_SIZE(value);
    if (size > most_inline) return false;
    return packed_.binary({PyBytes_AS_STRING(value), static_cast<std::size_t>(size)}), true;
  }

  bool add_dict(PyObject* value, int nested) {
    if (PyDict_GET_SIZE(value) > most_items) return false;
    packed_.map(static_cast<std::size_t>(PyDict_GET_SIZE(value)));
    PyObject *key, *item;
    for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item) != 0;)
      if (Py_TYPE(key) != &PyUnicode_Type || !add_string(key) || !add(item, nested)) return false;
    return true;
  }

  bool add_list(PyObject* value, int nested) {
    if (PyList_GET_SIZE(value) > most_items) return false;
    packed_.array(static_cast<std::size_t>(PyList_GET_SIZE(value)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i)
      if (!add(PyList_GET_ITEM(value, i), nested)) return false;
    return true;
  }

  Packed packed_;
  std::vector<PyArrayObject*> arrays_;
};

PyObject* frame_of_array(PyArrayObject* array) {
  if (!PyArray_IS_C_CONTIGUOUS(array)) return nullptr;
  if (PyObject* const made = make_frame_again(array)) return made;
  const std::string_view name = name_of(PyArray_DESCR(array));
  if (PyErr_Occurred() != nullptr || name.empty()) return nullptr;
  Packed packed;
  packed.tensor(0, name, array);
  return make_frame(array, packed.bytes());
}

}  // namespace

PyObject* encode(PyObject*, PyObject* value) {
  PyObject* made = nullptr;
  if (PyArray_CheckExact(value)) {
    made = frame_of_array(as_array(value));
  } else if (PyDict_CheckExact(value)) {
    Writer writer;
    if (writer.add(value)) made = writer.frame();
  }
  if (made != nullptr || PyErr_Occurred() != nullptr) return made;
  Py_RETURN_NONE;
}

}  // namespace wirecost::tensor
