// SPDX-License-Identifier: Apache-2.0
// This FMU is the source.
#include "source/variables.hpp"

namespace wirecost::fmu {

const Declaration& declaration = source::declaration;

void initialize(Variables& variables) { source::initialize(variables); }

}  // namespace wirecost::fmu
