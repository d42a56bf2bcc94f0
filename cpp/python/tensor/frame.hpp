// SPDX-License-Identifier: Apache-2.0
// An encoded message that is not yet copied: a header and arrays without gaps.
#pragma once

#include <span>
#include <vector>

#include "layout.hpp"
#include "python.hpp"

namespace wirecost::tensor {

// Adds `Frame`, the class of messaging/tensor/frame.py, to a module.
bool add_frames(PyObject* module);

// A segment's memory, or a part of it: an array without gaps or a memoryview of bytes.
struct Piece {
  Ref memory;
  bool goes_on = false;          // in the segment of the piece before it
  const void* viewed = nullptr;  // where the memoryview's bytes lie, and how many they are
  std::uint64_t length = 0;
};

// A header of one description and these segments, which it keeps. `copies`: what encoding had to
// copy, of `copied_bytes`. Null with an error set.
PyObject* make_frame(Bytes description, std::span<const Piece> pieces, Py_ssize_t copies = 0,
                     Py_ssize_t copied_bytes = 0);

// The same of one array, which is remembered.
PyObject* make_frame(PyArrayObject* array, Bytes description);

// As the last frame of one array, if that had this type and shape; else null without an error.
PyObject* make_frame_again(PyArrayObject* array);

}  // namespace wirecost::tensor
