// SPDX-License-Identifier: Apache-2.0
// What the driver asks of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "wirecost/message/notification.hpp"

namespace wirecost::bench {

struct Request {
  std::string command;
  std::string content = "ticket";
  std::size_t factor = 16;
  std::size_t count = 256;
  std::uint64_t seed = 1;
  std::size_t repetitions = 20;
  std::vector<std::string> contenders;  // name/mode/wire; all if empty

  /// Throws std::invalid_argument with what is wrong.
  static Request parse(int argc, char** argv);
  std::vector<NotificationValue> values() const;
};

}  // namespace wirecost::bench
