// SPDX-License-Identifier: Apache-2.0
// The roscpp of this process, and whether its callbacks are to be recorded.
#pragma once

#include <string>

namespace wirecost::ros1 {

/// Decided at the first call: recording is on, roscpp is of a known version, and the program has no
/// probes of its own where those come first. What is not known is reported in one line.
bool recording();

/// As roscpp knows it, from its initialization on.
const std::string& node_name();

}  // namespace wirecost::ros1
