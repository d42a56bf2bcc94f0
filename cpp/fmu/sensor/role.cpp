// SPDX-License-Identifier: Apache-2.0
// This FMU is the sensor.
#include "sensor/variables.hpp"

namespace wirecost::fmu {

const Declaration& declaration = sensor::declaration;

void initialize(Variables& variables) { sensor::initialize(variables); }

}  // namespace wirecost::fmu
