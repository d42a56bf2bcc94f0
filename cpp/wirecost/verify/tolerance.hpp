// SPDX-License-Identifier: Apache-2.0
// Compares two messages whose numbers may differ by a stated error.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace wirecost {

/// Largest difference of the numbers of a name, in their unit.
using Tolerances = std::map<std::string, double, std::less<>>;

/// Where two canonical forms differ by more than that: a field's name and both values. Empty:
/// nowhere.
std::string difference_beyond(std::string_view one, std::string_view other,
                              const Tolerances& tolerances);

}  // namespace wirecost
