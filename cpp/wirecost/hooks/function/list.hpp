// SPDX-License-Identifier: Apache-2.0
// What patterns mean in a program and its libraries, for people to see before it starts.
#pragma once

#include <string>
#include <vector>

namespace wirecost::function {

/// One JSON document: the objects, the functions that match, the patterns that none does, and the
/// names that are nearest to those.
std::string list(const std::vector<std::string>& patterns, const std::vector<std::string>& objects);

}  // namespace wirecost::function
