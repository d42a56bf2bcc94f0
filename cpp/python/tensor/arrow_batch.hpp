// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python.hpp"

namespace wirecost::tensor {

// arrow_batch(metadata: bytes): what messaging/tensor/arrow_messages.py asks of the record batch
// that an Arrow IPC message describes, as (body's bytes, rows, arrays, longest array, buffers,
// bytes of all buffers). None for other messages and for all that is wrong or unusual in one.
PyObject* arrow_batch(PyObject* module, PyObject* metadata);

}  // namespace wirecost::tensor
