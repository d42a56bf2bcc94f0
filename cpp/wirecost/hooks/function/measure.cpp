// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "wirecost/probe/clock.hpp"

// Each on a page of its own: what is on one page with a breakpoint is not patched. Exported: that
// is all that an installed program still has, since it is stripped.
extern "C" {
[[gnu::noinline, gnu::used, gnu::visibility("default"), gnu::aligned(4096)]] long
wirecost_measured_function(long value) {
  asm volatile("" : "+r"(value));
  return value + 1;
}
[[gnu::noinline, gnu::used, gnu::visibility("default"), gnu::aligned(4096)]] long
wirecost_observed_function(long value) {
  asm volatile("" : "+r"(value));
  return value + 3;
}
[[gnu::noinline, gnu::used, gnu::visibility("default"), gnu::aligned(4096)]] long
wirecost_plain_function(long value) {
  asm volatile("" : "+r"(value));
  return value + 2;
}
}

namespace wirecost::function {
namespace {

constexpr long batches = 20;

/// The least of several batches: what a busy machine adds is no cost of the recorder.
template <class Call>
double ns_per_call(long calls, Call call) {
  long value = call(0);  // makes the thread's log
  std::int64_t least = INT64_MAX;
  const long each = std::max(1L, calls / batches);
  for (long batch = 0; batch < batches; ++batch) {
    const std::int64_t begin = monotonic_ns();
    for (long i = 0; i < each; ++i) value = call(value);
    least = std::min(least, monotonic_ns() - begin);
  }
  asm volatile("" ::"r"(value));
  return static_cast<double>(least) / static_cast<double>(each);
}

}  // namespace

int measure(long calls) {
  const double plain = ns_per_call(calls, wirecost_plain_function);
  const double recorded = std::max(ns_per_call(calls, wirecost_measured_function),
                                   ns_per_call(calls, wirecost_observed_function));
  return std::printf("%.1f\n", std::max(0.0, recorded - plain)) > 0 ? 0 : 1;
}

}  // namespace wirecost::function
