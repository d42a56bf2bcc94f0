// SPDX-License-Identifier: Apache-2.0
// What handlers of frameworks see of a Writer: the methods of wirecost.tensor.writer.Writer.
#pragma once

#include <optional>

#include "layout.hpp"
#include "python.hpp"

namespace wirecost::tensor {

class Writer;

// Prepares the classes.
bool prepare_handles();

// Null with an error set.
PyObject* make_handle(Writer& writer);

// Lets go of a handle; whoever else kept it can use it no more.
void close_handle(PyObject* handle);

// The bytes of what a handle's method gave; none for other objects.
std::optional<Bytes> prepared_bytes(PyObject* object);

}  // namespace wirecost::tensor
