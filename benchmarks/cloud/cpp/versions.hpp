// SPDX-License-Identifier: Apache-2.0
// The versions of both studies that a program has.
#pragma once

#include <string>
#include <vector>

#include "cloud/cpp/contender.hpp"

namespace wirecost::bench::cloud {

struct Listed {
  std::string study;
  Version version;
};

std::vector<Listed> versions();

}  // namespace wirecost::bench::cloud
