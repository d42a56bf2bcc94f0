// SPDX-License-Identifier: Apache-2.0
#include "python_side.hpp"

namespace wirecost::tensor {

const PythonSide* python_side = nullptr;

PyObject* use(PyObject*, PyObject* arguments) {
  static PythonSide kept{};  // as long as the program runs
  PythonSide given{};
  if (PyArg_ParseTuple(arguments, "O!OOOOOO:use", &PyDict_Type, &given.handlers, &given.match,
                       &given.extension, &given.pieces, &given.budget, &given.restore,
                       &given.plan) == 0)
    return nullptr;
  for (PyObject* const one : {given.handlers, given.match, given.extension, given.pieces,
                              given.budget, given.restore, given.plan})
    Py_INCREF(one);
  kept = given;
  python_side = &kept;
  Py_RETURN_NONE;
}

}  // namespace wirecost::tensor
