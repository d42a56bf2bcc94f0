// SPDX-License-Identifier: Apache-2.0
// heap_callbacks [CALLBACKS]: what a lidar-like callback costs under the allocator that the loader
// put before it. Prints page faults a callback and its time, both after a warm-up.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

struct Point {
  float x, y, z, intensity;
};

/// Sorts a scan of 30,000 points into rings, segments them and copies the segments of one message.
std::size_t callback(std::mt19937& random) {
  constexpr int ring_count = 64;
  std::vector<std::vector<Point>> rings(ring_count);
  for (int i = 0; i < 30'000; ++i) {
    const float value = static_cast<float>(random() % 10'000);
    rings[random() % ring_count].push_back({value, value, value, 1.0F});
  }
  std::vector<std::vector<Point>> segments;
  for (const std::vector<Point>& ring : rings) {
    for (std::size_t at = 0; at < ring.size();) {
      const std::size_t end = std::min(ring.size(), at + 1 + random() % 40);
      segments.emplace_back(ring.begin() + static_cast<std::ptrdiff_t>(at),
                            ring.begin() + static_cast<std::ptrdiff_t>(end));
      at = end;
    }
  }
  std::vector<Point> message;
  for (const std::vector<Point>& segment : segments) {
    message.insert(message.end(), segment.begin(), segment.end());
  }
  return message.size();
}

long faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  constexpr int warmup = 50;
  const int count = std::max(1, argc > 1 ? std::atoi(argv[1]) : 5000);
  std::mt19937 random(1);
  std::vector<double> milliseconds(static_cast<std::size_t>(count));
  std::size_t points = 0;
  // The clock's pages are part of the warm-up.
  const auto warm_from = Clock::now();
  for (int i = 0; i < warmup; ++i) points += callback(random);
  if (Clock::now() < warm_from) return 1;
  const long before = faults();
  for (double& took : milliseconds) {
    const auto start = Clock::now();
    points += callback(random);
    took = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  const long taken = faults() - before;
  if (points != std::size_t{30'000} * static_cast<std::size_t>(count + warmup)) return 1;
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto at = [&](double share) {
    return milliseconds[static_cast<std::size_t>(share * (count - 1))];
  };
  std::printf("faults a callback %9.3f   median %7.3f ms   p99.9 %7.3f ms\n",
              static_cast<double>(taken) / count, at(0.5), at(0.999));
}
