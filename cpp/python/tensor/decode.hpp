// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace wirecost::tensor {

// decode(buffer, owner): what a frame at the start of `buffer` holds, if that is plain values and
// NumPy's arrays; they are read-only and keep buffer and `owner`. NotImplemented for all others,
// and for what is wrong with a frame: Python reads these, or says what it is.
PyObject* decode(PyObject* module, PyObject* const* arguments, Py_ssize_t count);

// Readies the types that `decode` needs.
bool prepare_decode();

}  // namespace wirecost::tensor
