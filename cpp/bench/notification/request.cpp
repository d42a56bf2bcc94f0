// SPDX-License-Identifier: Apache-2.0
#include "bench/notification/request.hpp"

#include <stdexcept>

#include "bench/arguments.hpp"

namespace wirecost::bench {

Request Request::parse(int argc, char** argv) {
  Request request;
  request.command = read_arguments(argc, argv,
                                   {{"--content", into(request.content)},
                                    {"--factor", into(request.factor)},
                                    {"--count", into(request.count)},
                                    {"--seed", into(request.seed)},
                                    {"--repetitions", into(request.repetitions)},
                                    {"--contender", into(request.contenders)}});
  return request;
}

std::vector<NotificationValue> Request::values() const {
  if (content == "ticket") return ticket_notifications(factor, count, seed);
  if (content == "realistic") return realistic_notifications(factor, count, seed);
  throw std::invalid_argument("content " + content + " is not known");
}

}  // namespace wirecost::bench
