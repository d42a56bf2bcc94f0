// SPDX-License-Identifier: Apache-2.0
// heap_callbacks [CALLBACKS [WARMUP]]: a lidar-like callback under the allocator that the loader
// put before it. Prints the allocator, a digest of all results, and nanoseconds, minor and major
// faults of each callback after the warm-up. CALLBACKS 0 prints the allocator alone.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/allocator.hpp"
#include "heap/cpp/random.hpp"

namespace {

using wirecost::bench::heap::Random;

struct Point {
  float x, y, z, intensity;
};

/// Sorts a scan of 30,000 points into rings, segments them and copies the segments of one message.
std::vector<Point> callback(Random& random) {
  constexpr int ring_count = 64;
  constexpr int point_count = 30'000;
  std::vector<std::vector<Point>> rings(ring_count);
  for (int i = 0; i < point_count; ++i) {
    const auto value = static_cast<float>(random.below(10'000));
    rings[random.below(ring_count)].push_back({value, value, value, 1.0F});
  }
  std::vector<std::vector<Point>> segments;
  for (const std::vector<Point>& ring : rings) {
    for (std::size_t at = 0; at < ring.size();) {
      const std::size_t end = std::min<std::size_t>(ring.size(), at + 1 + random.below(40));
      segments.emplace_back(ring.begin() + static_cast<std::ptrdiff_t>(at),
                            ring.begin() + static_cast<std::ptrdiff_t>(end));
      at = end;
    }
  }
  std::vector<Point> message;
  for (const std::vector<Point>& segment : segments) {
    message.insert(message.end(), segment.begin(), segment.end());
  }
  return message;
}

std::uint64_t digest(const std::vector<Point>& message, std::uint64_t before) {
  for (const Point& point : message) {
    std::uint64_t bits[2];
    static_assert(sizeof bits == sizeof point);
    std::memcpy(bits, &point, sizeof point);
    before = ((before ^ bits[0]) * 0x9e37'79b9'7f4a'7c15) ^ bits[1];
  }
  return before;
}

struct Sample {
  std::int64_t ns;
  std::int64_t minor;
  std::int64_t major;
  std::int64_t switches;
};

/// One callback timed, until its message is read and freed.
Sample measured(Random& random, std::uint64_t& total) {
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  const auto start = std::chrono::steady_clock::now();
  std::size_t points = 0;
  {
    std::vector<Point> message = callback(random);
    points = message.size();
    total = digest(message, total);
  }
  const auto took = std::chrono::steady_clock::now() - start;
  getrusage(RUSAGE_THREAD, &after);
  if (points != 30'000) std::abort();
  return {std::chrono::nanoseconds(took).count(), after.ru_minflt - before.ru_minflt,
          after.ru_majflt - before.ru_majflt,
          after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw};
}

std::size_t count_of(const char* text) {
  constexpr unsigned long most = 10'000'000;
  return std::min(std::strtoul(text, nullptr, 10), most);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? count_of(argv[1]) : 1500;
  const std::size_t warmup = argc > 2 ? count_of(argv[2]) : 50;
  wirecost::bench::print_allocator();
  if (count == 0) return 0;
  Random random(1);
  std::uint64_t total = 0;
  // Values from here on lie in pages that writing them has touched, as the code's own pages have
  // been by callbacks measured alike.
  std::vector<Sample> samples(std::max(count, warmup));
  for (std::size_t i = 0; i < warmup; ++i) samples[i] = measured(random, total);
  for (std::size_t i = 0; i < count; ++i) samples[i] = measured(random, total);
  std::printf("result\t%016" PRIx64 "\n", total);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [ns, minor, major, switches] = samples[i];
    std::printf("%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", ns, minor, major, switches);
  }
}
