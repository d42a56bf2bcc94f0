// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace wirecost::bench::fmi {

/// Prints modelDescription.xml with `count` inputs and outputs of a type, or none where it is
/// message.
void describe(bool is_fmi2, const std::string& type, std::size_t count, const std::string& token);

/// Prints terminalsAndIcons.xml: each memory terminal is four variables.
void describe_terminals();

}  // namespace wirecost::bench::fmi
