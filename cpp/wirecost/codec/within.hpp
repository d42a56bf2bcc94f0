// SPDX-License-Identifier: Apache-2.0
// Whether two messages say the same but for numbers that were stored with a stated error.
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
