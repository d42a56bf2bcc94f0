// SPDX-License-Identifier: Apache-2.0
// heap_throughput PATTERN THREADS OPERATIONS: a stress of threads under the allocator that the
// loader put before it. Prints the allocator, what the blocks held, and the nanoseconds that
// OPERATIONS pairs of malloc and free took after a warm-up of a quarter as many: of time, and of
// all cores' work.
#include <time.h>

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/allocator.hpp"
#include "heap/cpp/patterns.hpp"

namespace {

namespace heap = wirecost::bench::heap;

struct Named {
  std::string_view name;
  heap::Pattern run;
};

constexpr std::array patterns{Named{"larson", heap::larson}, Named{"threadtest", heap::threadtest},
                              Named{"xmalloc", heap::xmalloc},
                              Named{"cache-scratch", heap::cache_scratch}};

/// Of all threads, those that have ended too.
std::int64_t processor_ns() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return std::int64_t{spent.tv_sec} * 1'000'000'000 + spent.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr unsigned long most_threads = 256;
  const unsigned long threads = argc == 4 ? std::strtoul(argv[2], nullptr, 10) : 0;
  const unsigned long operations = argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 0;
  for (const auto& [name, run] : patterns) {
    if (argc != 4 || name != argv[1] || threads == 0 || threads > most_threads) continue;
    wirecost::bench::print_allocator();
    run(static_cast<unsigned>(threads), operations / 4);
    const std::int64_t worked_before = processor_ns();
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t sum = run(static_cast<unsigned>(threads), operations);
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    const std::int64_t worked = processor_ns() - worked_before;
    std::printf("result\t%016" PRIx64 "\n%" PRId64 "\t%" PRId64 "\n", sum,
                std::int64_t{took.count()}, worked);
    return 0;
  }
  std::fprintf(stderr,
               "usage: heap_throughput larson|threadtest|xmalloc|cache-scratch THREADS (1 to 256) "
               "OPERATIONS\n");
  return 2;
}
