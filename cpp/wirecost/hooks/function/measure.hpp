// SPDX-License-Identifier: Apache-2.0
// What recording one call costs on this machine, measured on a function that does nothing.
#pragma once

namespace wirecost::function {

/// Calls two functions that do nothing, of which a recorder may have the one named
/// wirecost_measured_function; prints by how many nanoseconds a call of it is longer.
int measure(long calls);

}  // namespace wirecost::function
