// SPDX-License-Identifier: Apache-2.0
// What is measured of a library's classes: operations on osi3.GroundTruth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace wirecost::bench::classes {

enum Stage : std::uint8_t {
  build,    // a new object, filled and destroyed
  rebuild,  // the same object, cleared and filled again
  encode,   // into a buffer used again
  parse,    // a new object, parsed into and destroyed
  reparse,  // into the object that was parsed into before
  total,    // a new object filled and encoded, and another one parsed into
  stages
};
constexpr std::array<const char*, stages> stage_names{"build", "rebuild", "encode",
                                                      "parse", "reparse", "total"};

/// Methods throw std::runtime_error if a message cannot be encoded or parsed.
class Operations {
 public:
  virtual ~Operations() = default;

  virtual void run(Stage stage) = 0;
  /// The message that a stage has made, encoded. Runs it.
  virtual std::vector<std::byte> made_by(Stage stage) = 0;
  /// Fills a new object, which stays until `release`.
  virtual void hold() = 0;
  virtual void release() = 0;
};

/// Where a library's objects lie.
struct Mode {
  std::string name;
  /// `message`: what is parsed; empty where nothing but `hold` and `build` is asked for.
  std::function<std::unique_ptr<Operations>(std::size_t objects, bool full,
                                            std::span<const std::byte> message)>
      operations;
};

/// The library that this program is compiled with, and its version.
std::string library();
std::vector<Mode> modes();

}  // namespace wirecost::bench::classes
