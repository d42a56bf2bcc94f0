// SPDX-License-Identifier: Apache-2.0
#include "bench/repeated/request.hpp"

#include "bench/arguments.hpp"

namespace wirecost::bench::repeated {

Request Request::parse(int argc, char** argv) {
  Request request;
  request.command = read_arguments(argc, argv,
                                   {{"--list", into(request.field)},
                                    {"--content", into(request.content)},
                                    {"--count", into(request.count)},
                                    {"--repetitions", into(request.repetitions)},
                                    {"--out", into(request.out)},
                                    {"--contender", into(request.contenders)}});
  return request;
}

}  // namespace wirecost::bench::repeated
