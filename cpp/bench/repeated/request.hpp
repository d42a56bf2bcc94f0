// SPDX-License-Identifier: Apache-2.0
// What the driver asks of the program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace wirecost::bench::repeated {

struct Request {
  std::string command;
  std::string field;
  std::filesystem::path content;  // the elements' values, field by field
  std::size_t count = 0;
  std::size_t repetitions = 20;
  std::filesystem::path out;            // folder for messages and values
  std::vector<std::string> contenders;  // name/mode; all if empty

  /// Throws std::invalid_argument with what is wrong.
  static Request parse(int argc, char** argv);
};

}  // namespace wirecost::bench::repeated
