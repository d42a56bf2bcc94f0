// SPDX-License-Identifier: Apache-2.0
// wirecost-functions list OBJECT...: which functions the patterns of WIRECOST_FUNCTIONS mean.
// wirecost-functions measure CALLS: what recording a call costs.
// wirecost-functions observe [--pid PID] [--seconds S] OBJECT... -- [COMMAND]: records calls by
// uprobes into the folder that WIRECOST_PROBE names. `observe` alone tells why there are none.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "breakpoints.hpp"
#include "list.hpp"
#include "measure.hpp"
#include "observe.hpp"
#include "request.hpp"

namespace {

using namespace wirecost::function;

int observed(const std::vector<std::string>& words) {
  Observation observation{.patterns = asked_patterns(), .objects = {}, .command = {}};
  std::size_t i = 0;
  for (; i + 1 < words.size() && words[i].starts_with("--") && words[i].size() > 2; i += 2) {
    if (words[i] == "--pid") observation.process = std::atoi(words[i + 1].c_str());
    if (words[i] == "--seconds") observation.seconds = std::atof(words[i + 1].c_str());
  }
  for (; i < words.size() && words[i] != "--"; ++i) observation.objects.push_back(words[i]);
  if (i < words.size())
    observation.command.assign(words.begin() + static_cast<long>(i) + 1, words.end());
  if (observation.objects.empty()) {
    const std::string why = why_no_breakpoints();
    std::printf("%s\n", why.c_str());
    return why.empty() ? 0 : 1;
  }
  return observe(observation);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    const std::string what = words.empty() ? "" : words[0];
    if (what == "list") {
      const std::string text = list(asked_patterns(), {words.begin() + 1, words.end()});
      return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    }
    if (what == "measure" && words.size() == 2) return measure(std::atol(words[1].c_str()));
    if (what == "observe") return observed({words.begin() + 1, words.end()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wirecost-functions: %s\n", error.what());
    return 1;
  }
  std::fputs("usage: wirecost-functions list|measure|observe ...\n", stderr);
  return 2;
}
