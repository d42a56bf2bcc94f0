// SPDX-License-Identifier: Apache-2.0
// wirecost-functions list OBJECT...: which functions the patterns of WIRECOST_FUNCTIONS mean.
// wirecost-functions measure CALLS: what recording a call costs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "list.hpp"
#include "measure.hpp"
#include "request.hpp"

int main(int count, char** arguments) {
  using namespace wirecost::function;
  try {
    if (count >= 2 && std::strcmp(arguments[1], "list") == 0) {
      const std::string text = list(asked_patterns(), {arguments + 2, arguments + count});
      return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
    if (count == 3 && std::strcmp(arguments[1], "measure") == 0)
      return measure(std::strtol(arguments[2], nullptr, 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wirecost-functions: %s\n", error.what());
    return 1;
  }
  std::fputs("usage: wirecost-functions list OBJECT... | measure CALLS\n", stderr);
  return 2;
}
