// SPDX-License-Identifier: Apache-2.0
#include "bench/classes/request.hpp"

#include <stdexcept>

#include "bench/arguments.hpp"

namespace wirecost::bench::classes {

Request Request::parse(int argc, char** argv) {
  Request request;
  request.command = read_arguments(argc, argv,
                                   {{"--mode", into(request.mode)},
                                    {"--content", into(request.content)},
                                    {"--objects", into(request.objects)},
                                    {"--repetitions", into(request.repetitions)},
                                    {"--message", into(request.message)}});
  if (request.content != "full" && request.content != "sparse")
    throw std::invalid_argument("content " + request.content + " is not known");
  return request;
}

}  // namespace wirecost::bench::classes
