// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace wirecost::tensor {

// A Frame; None where Python has to make it.
PyObject* encode(PyObject* module, PyObject* value);

}  // namespace wirecost::tensor
