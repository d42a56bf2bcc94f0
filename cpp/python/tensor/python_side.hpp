// SPDX-License-Identifier: Apache-2.0
// What wirecost.tensor gives at its start: how objects of frameworks are written and restored.
#pragma once

#include "python.hpp"

namespace wirecost::tensor {

struct PythonSide {
  PyObject* handlers;   // dict: a type's function(writer, value), as in messaging/tensor/writer.py
  PyObject* match;      // function(value): the same for a type that `handlers` does not have
  PyObject* extension;  // class msgpack.ExtType
  PyObject* pieces;     // class wirecost.tensor.memory.Pieces
  PyObject* budget;     // function(frame's bytes, description's bytes, segments): a Budget
  PyObject* restore;    // function(framework, kind, body, budget): an object
  PyObject* plan;       // function(framework, kind, body): one(*arrays) that restores it, or None
};

// Null before `use` was called.
extern const PythonSide* python_side;

// use(handlers, match, extension, pieces, budget, restore, plan)
PyObject* use(PyObject* module, PyObject* arguments);

}  // namespace wirecost::tensor
