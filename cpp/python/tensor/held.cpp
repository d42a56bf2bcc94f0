// SPDX-License-Identifier: Apache-2.0
#include "held.hpp"

#include <array>

namespace wirecost::tensor {

namespace {

struct Held {
  PyObject ob_base;
  Py_buffer view;
  PyObject* owner;
};

PyTypeObject* held_type = nullptr;

void held_dealloc(PyObject* self) {
  auto* const held = reinterpret_cast<Held*>(self);
  PyBuffer_Release(&held->view);
  Py_XDECREF(held->owner);  // after the view, for the owner gives the memory back
  release_memory(self);
}

std::array slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("A received buffer that arrays lie in.")},
    PyType_Slot{Py_tp_dealloc, reinterpret_cast<void*>(held_dealloc)},
    PyType_Slot{0, nullptr},
};
PyType_Spec spec{"wirecost._tensor.Held", sizeof(Held), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};

}  // namespace

bool prepare_held() {
  held_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return held_type != nullptr;
}

Ref hold(PyObject* buffer, PyObject* owner) {
  // A view of its own, for whoever has the other may release it.
  const Ref own(PyMemoryView_Check(buffer) ? PyMemoryView_FromObject(buffer) : Py_NewRef(buffer));
  Ref made(own ? PyType_GenericAlloc(held_type, 0) : nullptr);
  if (made) {
    auto* const held = reinterpret_cast<Held*>(made.get());
    // Asked for all that a memoryview asks for: what cannot be one, Python refuses.
    if (PyObject_GetBuffer(own.get(), &held->view, PyBUF_FULL_RO) == 0 &&
        PyBuffer_IsContiguous(&held->view, 'C') != 0) {
      held->owner = Py_NewRef(owner);
      return made;
    }
  }
  return {};
}

Bytes bytes_of(PyObject* held) {
  const Py_buffer& view = reinterpret_cast<Held*>(held)->view;
  return {static_cast<const std::uint8_t*>(view.buf), static_cast<std::size_t>(view.len)};
}

Ref array_over(PyObject* held, const std::uint8_t* data, PyArray_Descr* descr,
               std::span<const npy_intp> shape) {
  Ref made(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(shape.size()),
                                const_cast<npy_intp*>(shape.data()), nullptr,
                                const_cast<std::uint8_t*>(data), NPY_ARRAY_C_CONTIGUOUS, nullptr));
  if (!made) {
    PyErr_Clear();
    return {};
  }
  PyArrayObject* const array = as_array(made.get());
  if (PyArray_SetBaseObject(array, Py_NewRef(held)) != 0) {
    PyErr_Clear();
    return {};
  }
  PyArray_UpdateFlags(array, NPY_ARRAY_UPDATE_ALL);
  return made;
}

}  // namespace wirecost::tensor
