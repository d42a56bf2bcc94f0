// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/config.hpp"

#include <string.h>

#include "wirecost/heap/memory.hpp"
#include "wirecost/heap/writer.hpp"

namespace wirecost::heap {

namespace {

/// In nanoseconds it fits into 64 bits.
constexpr std::uint64_t most_warmup_s = 1'000'000'000;

const char* value_of(char** environment, const char* name) {
  const std::size_t length = strlen(name);
  for (; *environment != nullptr; ++environment) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
      return *environment + length + 1;
    }
  }
  return nullptr;
}

std::uint64_t number(char** environment, const char* name, std::uint64_t otherwise,
                     std::uint64_t most) {
  const char* text = value_of(environment, name);
  if (text == nullptr) return otherwise;
  constexpr std::size_t most_digits = 15;
  std::uint64_t value = 0;
  const std::size_t length = strlen(text);
  bool valid = length > 0 && length <= most_digits;
  for (std::size_t i = 0; valid && i < length; ++i) {
    valid = text[i] >= '0' && text[i] <= '9';
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  if (valid && value <= most) return value;
  Writer(2)
      .put("wirecost heap: ")
      .put(name)
      .put(most == 1 ? " is not 0 or 1: " : " is not a number, or too large: ")
      .put(text)
      .put("; using ")
      .put(otherwise)
      .put("\n");
  return otherwise;
}

}  // namespace

Config read_config(char** environment) {
  Config config;
  config.pool_bytes = number(environment, "WIRECOST_HEAP_POOL", config.pool_bytes, most_bytes);
  config.lock = number(environment, "WIRECOST_HEAP_LOCK", 0, 1) != 0;
  config.huge = number(environment, "WIRECOST_HEAP_HUGE", 0, 1) != 0;
  config.report = number(environment, "WIRECOST_HEAP_REPORT", 0, 1) != 0;
  config.out = value_of(environment, "WIRECOST_HEAP_OUT");
  config.pid = static_cast<std::int64_t>(number(environment, "WIRECOST_HEAP_PID", 0, INT32_MAX));
  config.warmup_s = number(environment, "WIRECOST_HEAP_WARMUP", config.warmup_s, most_warmup_s);
  return config;
}

}  // namespace wirecost::heap
