// SPDX-License-Identifier: Apache-2.0
// An encoded message that is not yet copied: a header and arrays without gaps.
#pragma once

#include <span>
#include <vector>

#include "layout.hpp"
#include "python.hpp"

namespace wirecost::tensor {

// Adds `Frame`, the class of wirecost/tensor/frame.py, to a module.
bool add_frames(PyObject* module);

// A header of one description and segments of these arrays, which it keeps. Null with an error set.
PyObject* make_frame(Bytes description, std::span<PyArrayObject* const> arrays);

// The same of one array, which is remembered.
PyObject* make_frame(PyArrayObject* array, Bytes description);

// As the last frame of one array, if that had this type and shape; else null without an error.
PyObject* make_frame_again(PyArrayObject* array);

}  // namespace wirecost::tensor
