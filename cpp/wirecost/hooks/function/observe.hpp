// SPDX-License-Identifier: Apache-2.0
// `wirecost-functions observe`: runs a program, or watches one that runs, under breakpoints.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace wirecost::function {

struct Observation {
  std::vector<std::string> patterns;
  std::vector<std::string> objects;
  std::vector<std::string> command;  ///< to run; or
  pid_t process = 0;                 ///< that runs, for
  double seconds = 0;                ///< so long; 0: until it ends
};

/// The status to end with: the program's, 128 + n if signal n ended it.
int observe(const Observation& observation);

}  // namespace wirecost::function
