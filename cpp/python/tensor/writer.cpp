// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "element_types.hpp"
#include "python_side.hpp"
#include "writer_handle.hpp"

namespace wirecost::tensor {

namespace {

// Bytes and strings above this are segments, which handlers make.
constexpr Py_ssize_t most_inline = 1024;
// Of a list or dict: large ones are Python's, before work is done in vain.
constexpr Py_ssize_t most_items = 4096;
constexpr int most_nested = 32;
// Bytes of one that is handled here.
constexpr std::size_t most_description = most_header / 2;

class Deeper {
 public:
  explicit Deeper(int& level) : level_(level) { ++level_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --level_; }

 private:
  int& level_;
};

std::string_view text_of(PyObject* bytes) {
  return {PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes))};
}

}  // namespace

Writer::~Writer() {
  if (handle_ != nullptr) close_handle(handle_);
}

bool Writer::add(PyObject* value) {
  if (packed_.bytes().size() > most_description) return false;
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyArray_Type) return add_array(as_array(value));
  if (type == &PyFloat_Type) return packed_.real(PyFloat_AsDouble(value)), true;
  if (type == &PyLong_Type) return add_integer(value);
  if (type == &PyUnicode_Type && PyUnicode_GetLength(value) <= most_inline)
    return add_string(value);
  if (value == Py_None) return packed_.nil(), true;
  if (type == &PyBool_Type) return packed_.byte(value == Py_True ? 0xC3 : 0xC2), true;
  if (type == &PyBytes_Type && PyBytes_Size(value) <= most_inline)
    return packed_.binary(text_of(value)), true;
  if (const std::optional<Bytes> prepared = prepared_bytes(value))
    return packed_.append(*prepared), true;
  if (nested_ == most_nested) return false;
  const Deeper deeper(nested_);
  if (type == &PyDict_Type) return add_dict(value);
  if (type == &PyList_Type) return add_list(value);
  if (python_side == nullptr) return false;
  if (type == reinterpret_cast<PyTypeObject*>(python_side->pieces)) return add_pieces(value);
  return add_by_handler(value);
}

PyObject* Writer::frame() const {
  if (!whole_ || segments_ > most_segments || packed_.bytes().size() > most_description)
    return nullptr;
  return make_frame(packed_.bytes(), pieces_, copies_, copied_bytes_);
}

bool Writer::add_array(PyArrayObject* array) {
  const std::string_view name = name_of(PyArray_DESCR(array));
  return !name.empty() && add_tensor(array, name, "numpy");
}

bool Writer::add_tensor(PyArrayObject* array, std::string_view type, std::string_view framework) {
  const std::span shape(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)));
  if (name_of(PyArray_DESCR(array)).empty()) return false;
  Ref lies = Ref::borrowed(reinterpret_cast<PyObject*>(array));
  std::array<npy_intp, NPY_MAXDIMS> order{};
  std::size_t axes = 0;
  if (!PyArray_IS_C_CONTIGUOUS(array)) {
    // The order of axes in which it has no gaps, if there is one.
    axes = shape.size();
    const npy_intp* const strides = PyArray_STRIDES(array);
    std::iota(order.begin(), order.begin() + axes, 0);
    std::stable_sort(order.begin(), order.begin() + axes,
                     [&](npy_intp a, npy_intp b) { return strides[a] > strides[b]; });
    PyArray_Dims dims{order.data(), static_cast<int>(axes)};
    lies = Ref(PyArray_Transpose(array, &dims));
    if (!lies || !PyArray_IS_C_CONTIGUOUS(as_array(lies.get()))) return false;
  }
  packed_.tensor({segments_, type, shape, std::span(order).first(axes), framework});
  return add_segment(lies.get());
}

// Of wirecost.tensor.memory.Pieces.
bool Writer::add_pieces(PyObject* value) {
  const Ref list(PyObject_GetAttrString(value, "pieces"));
  const Ref described(list ? PyObject_GetAttrString(value, "described") : nullptr);
  const Ref extents(described ? PyObject_GetAttrString(value, "shape") : nullptr);
  if (!extents || PyList_CheckExact(list.get()) == 0 || PyList_Size(list.get()) == 0 ||
      PyUnicode_CheckExact(described.get()) == 0 || PyTuple_CheckExact(extents.get()) == 0)
    return false;
  std::vector<npy_intp> shape(static_cast<std::size_t>(PyTuple_Size(extents.get())));
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = PyLong_AsSsize_t(PyTuple_GetItem(extents.get(), static_cast<Py_ssize_t>(i)));
  Py_ssize_t size = 0;
  const char* const type = PyUnicode_AsUTF8AndSize(described.get(), &size);
  if (type == nullptr || PyErr_Occurred() != nullptr) return false;
  packed_.tensor({segments_, {type, static_cast<std::size_t>(size)}, shape, {}, "numpy"});
  const std::size_t segment = segments_;
  for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
    PyObject* const piece = PyList_GetItem(list.get(), i);
    if (PyMemoryView_Check(piece) == 0 || !add_segment(piece)) return false;
    pieces_.back().goes_on = i != 0;
  }
  segments_ = segment + 1;
  return true;
}

bool Writer::add_segment(PyObject* memory) {
  Piece piece;
  if (PyArray_CheckExact(memory)) {
    if (!PyArray_IS_C_CONTIGUOUS(as_array(memory))) return false;
    piece.memory = Ref::borrowed(memory);
  } else if (PyMemoryView_Check(memory)) {
    // A view of its own, for whoever has the other may release it.
    piece.memory = Ref(PyMemoryView_FromObject(memory));
    Py_buffer view;
    if (!piece.memory || PyObject_GetBuffer(piece.memory.get(), &view, PyBUF_FULL_RO) != 0)
      return false;
    const bool bytes = view.ndim == 1 && view.itemsize == 1 &&
                       (view.format == nullptr || std::string_view(view.format) == "B") &&
                       PyBuffer_IsContiguous(&view, 'C') != 0;
    // They stay where they are as long as the memoryview is there.
    piece.viewed = view.buf;
    piece.length = static_cast<std::uint64_t>(view.len);
    PyBuffer_Release(&view);
    if (!bytes) return false;
  } else {
    return false;
  }
  pieces_.push_back(std::move(piece));
  ++segments_;
  return true;
}

bool Writer::add_integer(PyObject* value) {
  int overflow = 0;
  const std::int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return false;
  return packed_.number(number), true;
}

bool Writer::add_string(PyObject* value) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) return false;
  return packed_.string({text, static_cast<std::size_t>(size)}), true;
}

// Handlers are programs: what they do to a collection while it is read must do no harm here.
bool Writer::add_dict(PyObject* value) {
  const Py_ssize_t size = PyDict_Size(value);
  if (size > most_items) return false;
  packed_.map(static_cast<std::size_t>(size));
  PyObject *key, *item;
  Py_ssize_t count = 0;
  for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item) != 0; ++count) {
    const Ref kept = Ref::borrowed(item);
    if (Py_TYPE(key) != &PyUnicode_Type || PyUnicode_GetLength(key) > most_inline) return false;
    if (!add_string(key) || !add(item)) return false;
  }
  return count == size;
}

bool Writer::add_list(PyObject* value) {
  const Py_ssize_t size = PyList_Size(value);
  if (size > most_items) return false;
  packed_.array(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (i >= PyList_Size(value)) return false;
    const Ref item = Ref::borrowed(PyList_GetItem(value, i));
    if (!add(item.get())) return false;
  }
  return PyList_Size(value) == size;
}

// Of msgpack: a named tuple of code and payload.
bool Writer::add_extension(PyObject* value) {
  if (PyTuple_Size(value) != 2) return false;
  PyObject* const payload = PyTuple_GetItem(value, 1);
  const long code = PyLong_AsLong(PyTuple_GetItem(value, 0));
  if (code < 0 || code > INT8_MAX || PyBytes_CheckExact(payload) == 0) return false;
  const std::string_view bytes = text_of(payload);
  packed_.extension(static_cast<unsigned>(code),
                    {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return true;
}

bool Writer::add_by_handler(PyObject* value) {
  if (handle_ == nullptr) handle_ = make_handle(*this);
  if (handle_ == nullptr) return false;
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  Ref handler = Ref::borrowed(PyDict_GetItemWithError(python_side->handlers, type));
  if (!handler && PyErr_Occurred() == nullptr)
    handler = Ref(PyObject_CallFunctionObjArgs(python_side->match, value, nullptr));
  if (!handler) return false;
  const std::array arguments{handle_, value};
  const Ref prepared(PyObject_Vectorcall(handler.get(), arguments.data(), 2, nullptr));
  if (!prepared) return false;
  // Only of a handler: what a user sends of this class is a named tuple as any other.
  const bool packed =
      reinterpret_cast<PyObject*>(Py_TYPE(prepared.get())) == python_side->extension;
  return packed ? add_extension(prepared.get()) : add(prepared.get());
}

}  // namespace wirecost::tensor
