// SPDX-License-Identifier: Apache-2.0
// What recording one call costs on this machine, measured on a function that does nothing.
#pragma once

namespace wirecost::function {

/// Calls functions that do nothing, of which a recorder may have wirecost_measured_function or
/// wirecost_observed_function; prints by how many nanoseconds a call of that is longer. They are
/// two, because a breakpoint goes only a while after its observer.
int measure(long calls);

}  // namespace wirecost::function
