// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "wirecost/probe/clock.hpp"

extern "C" {
[[gnu::noinline, gnu::used]] long wirecost_measured_function(long value) {
  asm volatile("" : "+r"(value));
  return value + 1;
}
[[gnu::noinline, gnu::used]] long wirecost_plain_function(long value) {
  asm volatile("" : "+r"(value));
  return value + 2;
}
}

namespace wirecost::function {
namespace {

template <class Call>
double ns_per_call(long calls, Call call) {
  long value = call(0);  // makes the thread's log
  const std::int64_t begin = monotonic_ns();
  for (long i = 0; i < calls; ++i) value = call(value);
  const std::int64_t end = monotonic_ns();
  asm volatile("" ::"r"(value));
  return static_cast<double>(end - begin) / static_cast<double>(calls);
}

}  // namespace

int measure(long calls) {
  const double plain = ns_per_call(calls, wirecost_plain_function);
  const double recorded = ns_per_call(calls, wirecost_measured_function);
  return std::printf("%.1f\n", std::max(0.0, recorded - plain)) > 0 ? 0 : 1;
}

}  // namespace wirecost::function
