// SPDX-License-Identifier: Apache-2.0
// Python and NumPy as the tensor path sees them. Its functions are Python's own vector calls and
// its types slots: a call that comes once in 10 ms finds cold caches, so what it touches is what it
// costs. It keeps to Python's stable ABI: one build serves every later version.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL wirecost_tensor_numpy
#ifndef WIRECOST_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

// In the stable ABI from 3.12 on, and exported by 3.11.
extern "C" PyObject* PyObject_Vectorcall(PyObject* callable, PyObject* const* arguments,
                                         std::size_t count, PyObject* names);

#include <cstddef>
#include <new>
#include <utility>

namespace wirecost::tensor {

// A reference that is owned.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) noexcept : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    Ref gone(std::exchange(object_, other.release()));
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  static Ref borrowed(PyObject* object) noexcept { return Ref(Py_XNewRef(object)); }
  PyObject* get() const noexcept { return object_; }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Raises UserError of wirecost.system.errors with a text that PyUnicode_FromFormat formats.
PyObject* user_error(const char* format, ...);

// What Python calls in place of `function`: nothing may be thrown through C, so memory that is not
// there is a MemoryError.
template <auto function, class... Arguments>
PyObject* called(Arguments... arguments) noexcept {
  try {
    return function(arguments...);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

// As a method's function, whatever its arguments are.
template <class Function>
PyCFunction as_function(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// Gives back the memory of an object of a type of ours, which then has one instance less.
inline void release_memory(PyObject* self) noexcept {
  PyTypeObject* const type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

inline PyArrayObject* as_array(PyObject* object) noexcept {
  return reinterpret_cast<PyArrayObject*>(object);
}

}  // namespace wirecost::tensor
