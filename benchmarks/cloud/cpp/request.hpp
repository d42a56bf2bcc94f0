// SPDX-License-Identifier: Apache-2.0
// What the driver asks of the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cloud/cpp/contender.hpp"

namespace wirecost::bench::cloud {

struct Request {
  std::string command;
  std::string study;
  std::string version;
  std::vector<std::filesystem::path> clouds;  ///< the bytes of their points
  std::filesystem::path areas;  ///< for each area a count as 64 bits, then x, y, … as doubles
  std::filesystem::path out;    ///< folder for the answers of a version
  bool older = false;
  bool published = false;
  bool first = false;
  std::uint64_t secret = 0;  ///< how messages differ; no version is given it
  std::uint64_t calls = 0;   ///< how many callbacks other processes had before

  /// Throws std::invalid_argument with what is wrong.
  static Request parse(int argc, char** argv);
  /// Throws std::runtime_error if a file cannot be read.
  Input input() const;
};

}  // namespace wirecost::bench::cloud
