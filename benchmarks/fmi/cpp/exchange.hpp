// SPDX-License-Identifier: Apache-2.0
// What the driver asks the C importer to exchange, and the answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "fmi/cpp/importer.hpp"

namespace wirecost::bench::fmi {

struct Request {
  std::string library, type = "message", calls = "together", carrier = "none";
  std::size_t fmi = 3, count = 0, bytes = 8;
};

using Clock = std::chrono::steady_clock;
inline double per(Clock::time_point begin, Clock::time_point end, std::size_t repeats) {
  return std::chrono::duration<double, std::nano>(end - begin).count() /
         static_cast<double>(repeats);
}

inline std::string token(const Request& request) {
  return "wirecost-fmi-" + std::to_string(request.count);
}

/// The number behind one of the FMU's own counters.
double number_of(auto& fmu, std::uint32_t reference) {
  double value;
  fmu.get(&reference, 1, &value);
  return value;
}

/// Calls `run` with each number that the driver writes.
void answer(const std::function<void(std::size_t)>& run);

/// Exchanges values, or messages, until standard input ends. Throws what went wrong.
void exchange_values(const Request& request);
void exchange_messages(const Request& request);

}  // namespace wirecost::bench::fmi
