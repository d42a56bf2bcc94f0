// SPDX-License-Identifier: Apache-2.0
// `wirecost._tensor`: the quick path of wirecost.tensor.
#define WIRECOST_IMPORTS_NUMPY
#include <array>
#include <cstdarg>

#include "arrow_batch.hpp"
#include "decode.hpp"
#include "encode.hpp"
#include "frame.hpp"
#include "loan.hpp"
#include "python.hpp"
#include "python_side.hpp"
#include "writer_handle.hpp"

namespace wirecost::tensor {

PyObject* user_error(const char* format, ...) {
  const Ref module(PyImport_ImportModule("wirecost.system.errors"));
  const Ref type(module ? PyObject_GetAttrString(module.get(), "UserError") : nullptr);
  if (!type) return nullptr;
  va_list values;
  va_start(values, format);
  PyErr_FormatV(type.get(), format, values);
  va_end(values);
  return nullptr;
}

namespace {

std::array methods{
    PyMethodDef{"encode", called<encode, PyObject*, PyObject*>, METH_O,
                "A Frame, or None where Python has to make it."},
    PyMethodDef{"decode", as_function(called<decode, PyObject*, PyObject* const*, Py_ssize_t>),
                METH_FASTCALL, "A message, or NotImplemented where Python has to read it."},
    PyMethodDef{"arrow_batch", arrow_batch, METH_O,
                "Of an Arrow record batch's metadata, its sizes."},
    PyMethodDef{"use", use, METH_VARARGS,
                "What objects of frameworks are written and restored by."},
    PyMethodDef{nullptr, nullptr, 0, nullptr},
};
PyModuleDef definition{PyModuleDef_HEAD_INIT,
                       "_tensor",
                       "The quick path of wirecost.tensor.",
                       -1,
                       methods.data(),
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace

}  // namespace wirecost::tensor

PyMODINIT_FUNC PyInit__tensor() {  // NOLINT(bugprone-reserved-identifier): as Python wants it
  using namespace wirecost::tensor;
  import_array();
  Ref module(PyModule_Create(&definition));
  if (!module || !prepare_decode() || !prepare_handles() || !add_frames(module.get()) ||
      !add_loans(module.get()))
    return nullptr;
  return module.release();
}
