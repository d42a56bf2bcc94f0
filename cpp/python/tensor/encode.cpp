// SPDX-License-Identifier: Apache-2.0
#include "encode.hpp"

#include "element_types.hpp"
#include "frame.hpp"
#include "writer.hpp"

namespace wirecost::tensor {

namespace {

PyObject* frame_of_array(PyArrayObject* array) {
  if (!PyArray_IS_C_CONTIGUOUS(array)) return nullptr;
  if (PyObject* const made = make_frame_again(array)) return made;
  const std::string_view name = name_of(PyArray_DESCR(array));
  if (PyErr_Occurred() != nullptr || name.empty()) return nullptr;
  const std::span shape(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)));
  Packed packed;
  packed.tensor({0, name, shape, {}, "numpy"});
  return make_frame(array, packed.bytes());
}

}  // namespace

PyObject* encode(PyObject*, PyObject* value) {
  PyObject* made = PyArray_CheckExact(value) ? frame_of_array(as_array(value)) : nullptr;
  if (made == nullptr && PyErr_Occurred() == nullptr) {
    Writer writer;
    if (writer.add(value)) made = writer.frame();
  }
  if (made != nullptr) return made;
  // What is wrong with a message, Python finds again and says; an interrupt is none of it.
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;
  PyErr_Clear();
  Py_RETURN_NONE;
}

}  // namespace wirecost::tensor
