// SPDX-License-Identifier: Apache-2.0
// This FMU is the player.
#include "player/variables.hpp"

namespace wirecost::fmu {

const Declaration& declaration = player::declaration;

void initialize(Variables& variables) { player::initialize(variables); }

}  // namespace wirecost::fmu
