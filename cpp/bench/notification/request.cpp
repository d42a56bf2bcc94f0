// SPDX-License-Identifier: Apache-2.0
#include "bench/notification/request.hpp"

#include <stdexcept>

namespace wirecost::bench {

Request Request::parse(int argc, char** argv) {
  if (argc < 2) throw std::invalid_argument("a command is missing");
  Request request;
  request.command = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " has no value");
    const std::string value = argv[i + 1];
    if (name == "--content") {
      request.content = value;
    } else if (name == "--factor") {
      request.factor = std::stoul(value);
    } else if (name == "--count") {
      request.count = std::stoul(value);
    } else if (name == "--seed") {
      request.seed = std::stoull(value);
    } else if (name == "--repetitions") {
      request.repetitions = std::stoul(value);
    } else if (name == "--contender") {
      request.contenders.push_back(value);
    } else {
      throw std::invalid_argument(name + " is not known");
    }
  }
  return request;
}

std::vector<NotificationValue> Request::values() const {
  if (content == "ticket") return ticket_notifications(factor, count, seed);
  if (content == "realistic") return realistic_notifications(factor, count, seed);
  throw std::invalid_argument("content " + content + " is not known");
}

}  // namespace wirecost::bench
