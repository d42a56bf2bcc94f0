// SPDX-License-Identifier: Apache-2.0
// Names of functions as people write them, and patterns over these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::function {

/// What `symbol` is called in the source: `ns::Planner::plan(int) [clone .isra.0]`. A name that was
/// not mangled comes back as it is.
std::string demangled(const std::string& symbol);

/// Without the result's type, the parameters and what the compiler put behind them:
/// `ns::Planner::plan`.
std::string without_parameters(std::string_view demangled);

/// `*` is any text, `?` any character; everything else is itself, since names contain brackets.
bool matches(std::string_view pattern, std::string_view name);

/// Whether one of `patterns` matches the whole name or the name without parameters.
bool any_matches(const std::vector<std::string>& patterns, std::string_view demangled);

/// How many characters must change; no more than `most` + 1.
std::size_t distance(std::string_view a, std::string_view b, std::size_t most);

/// A section's name, of which a log keeps `bytes`: what is longer loses its middle.
std::string shortened(const std::string& name, std::size_t bytes);

}  // namespace wirecost::function
