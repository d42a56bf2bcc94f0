// SPDX-License-Identifier: Apache-2.0
// What `wirecost probe run` asks of the library, through the environment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace wirecost::function {

inline constexpr const char* patterns_variable = "WIRECOST_FUNCTIONS";
inline constexpr const char* means_variable = "WIRECOST_FUNCTIONS_MEANS";
inline constexpr const char* limit_variable = "WIRECOST_FUNCTIONS_LIMIT";
inline constexpr const char* objects_variable = "WIRECOST_FUNCTIONS_BY_OBJECT";
inline constexpr std::size_t most_functions = 256;

/// Lines of `text`, without the empty ones.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

inline std::vector<std::string> asked_patterns(const char* variable = patterns_variable) {
  const char* text = std::getenv(variable);
  return lines_of(text == nullptr ? "" : text);
}

/// Who tells of calls: patched entries, or code that was built to.
enum class Means { patches, instrumented, xray };

inline Means asked_means() {
  const char* text = std::getenv(means_variable);
  const std::string_view means = text == nullptr ? "" : text;
  if (means == "instrumented") return Means::instrumented;
  return means == "xray" ? Means::xray : Means::patches;
}

/// How many functions may be recorded.
inline std::size_t asked_limit() {
  const char* text = std::getenv(limit_variable);
  const unsigned long limit = text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
  return limit == 0 || limit > most_functions ? most_functions : limit;
}

}  // namespace wirecost::function
