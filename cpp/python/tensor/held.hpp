// SPDX-License-Identifier: Apache-2.0
// A received buffer and its owner, kept by every array that lies in it.
#pragma once

#include "layout.hpp"
#include "python.hpp"

namespace wirecost::tensor {

bool prepare_held();

// Null for what is no buffer of bytes in one piece; an error may be set then.
Ref hold(PyObject* buffer, PyObject* owner);

Bytes bytes_of(PyObject* held);

// An array of NumPy's own class over held memory, read-only. `descr` is taken over. Null, with no
// error set, for what NumPy cannot have.
Ref array_over(PyObject* held, const std::uint8_t* data, PyArray_Descr* descr,
               std::span<const npy_intp> shape);

}  // namespace wirecost::tensor
