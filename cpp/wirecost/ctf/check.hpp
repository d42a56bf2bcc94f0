// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"

namespace wirecost::ctf {

/// Whether a layout can be read by: what it refers to is there, and its steps contain only earlier
/// ones, not too deep.
bool is_sound(const Layout& layout);

}  // namespace wirecost::ctf
