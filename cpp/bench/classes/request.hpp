// SPDX-License-Identifier: Apache-2.0
// What the driver asks of the program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace wirecost::bench::classes {

struct Request {
  std::string command;
  std::string mode;
  std::string content = "full";  // or sparse
  std::size_t objects = 0;
  std::size_t repetitions = 1;
  std::filesystem::path message;  // the bytes that every operation must come to

  /// Throws std::invalid_argument with what is wrong.
  static Request parse(int argc, char** argv);
};

}  // namespace wirecost::bench::classes
