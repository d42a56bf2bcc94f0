// SPDX-License-Identifier: Apache-2.0
// What patterns mean in a program and its libraries, for people to see before it starts.
#pragma once

#include <string>
#include <vector>

namespace wirecost::function {

/// One JSON document: the objects, the functions that match, and the nearest names if none does.
std::string list(const std::vector<std::string>& patterns, const std::vector<std::string>& objects);

}  // namespace wirecost::function
