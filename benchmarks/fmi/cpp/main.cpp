// SPDX-License-Identifier: Apache-2.0
// The C importer of the study of FMI variables; its driver is Python and reads standard output.
//   built       compiler and flags
//   describe    modelDescription.xml of --fmi, with --count values of --type
//   terminals   terminalsAndIcons.xml
//   values      exchanges --count values of --type between two FMUs, --calls together, each or
//   array messages    exchanges messages of --bytes by --carrier
// The last two answer each line of standard input, a number of exchanges, with nanoseconds of an
// exchange and the bytes that FMUs copied in it; `values` with those of get and of set.
#include <iomanip>
#include <iostream>
#include <stdexcept>

#include "bench/arguments.hpp"
#include "fmi/cpp/describe.hpp"
#include "fmi/cpp/exchange.hpp"

namespace wirecost::bench::fmi {
namespace {

void run(int argc, char** argv) {
  Request request;
  const std::string command = read_arguments(argc, argv,
                                             {{"--library", into(request.library)},
                                              {"--fmi", into(request.fmi)},
                                              {"--type", into(request.type)},
                                              {"--count", into(request.count)},
                                              {"--bytes", into(request.bytes)},
                                              {"--calls", into(request.calls)},
                                              {"--carrier", into(request.carrier)}});
  if (command == "built")
    std::cout << WIRECOST_COMPILER << '\t' << WIRECOST_FLAGS << '\n';
  else if (command == "describe")
    describe(request.fmi == 2, request.type, request.count, token(request));
  else if (command == "terminals")
    describe_terminals();
  else if (command == "values")
    exchange_values(request);
  else if (command == "messages")
    exchange_messages(request);
  else
    throw std::invalid_argument("command " + command + " is not known");
}

}  // namespace

void answer(const std::function<void(std::size_t)>& run) {
  std::cout << std::setprecision(12) << "ready\n" << std::flush;
  for (std::size_t repeats; std::cin >> repeats;) {
    if (repeats == 0) throw std::invalid_argument("give 1 exchange or more");
    run(repeats);
    std::cout << '\n' << std::flush;
  }
}

}  // namespace wirecost::bench::fmi

int main(int argc, char** argv) {
  try {
    wirecost::bench::fmi::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fmi: %s\n", error.what());
    return 2;
  }
}
