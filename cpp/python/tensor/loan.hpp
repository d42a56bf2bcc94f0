// SPDX-License-Identifier: Apache-2.0
// Samples of a middleware that arrays lie in: how many are held, and when they are given back.
#pragma once

#include "python.hpp"

namespace wirecost::tensor {

// Adds `SamplePool` and `Loan`, the classes of messaging/tensor/pool.py, to a module.
bool add_loans(PyObject* module);

}  // namespace wirecost::tensor
