// SPDX-License-Identifier: Apache-2.0
// A callback with probes: what it takes, and what it takes it for. Build, record, look:
//   g++ -O2 callback.cpp $(pkg-config --cflags --libs wirecost-probe) -o callback
//   WIRECOST_PROBE=/dev/shm/callback ./callback
//   wirecost probe show /dev/shm/callback --deadline 2 --report callback.html
#include <cstdint>
#include <iostream>
#include <vector>
#include <wirecost/probe.hpp>

namespace {

using wirecost::probe::Section;

const std::uint32_t callback_section = wirecost_probe_section("callback");
const std::uint32_t copy_section = wirecost_probe_section("copy points");
const std::uint32_t sum_section = wirecost_probe_section("sum ranges");

double callback(const std::vector<float>& message, std::uint64_t index) {
  Section section(callback_section, index);
  section.value(static_cast<std::int64_t>(message.size()));
  std::vector<float> points;
  {
    const Section part(copy_section);
    points = message;  // fresh memory each time: page faults
  }
  const Section part(sum_section);
  double sum = 0;
  for (const float range : points) sum += range;
  return sum;
}

}  // namespace

int main() {
  wirecost_probe_prepare_thread();
  double sum = 0;
  for (std::uint64_t i = 0; i < 200; ++i)
    sum += callback(std::vector<float>(200'000 + 1'000 * i, 1.0F), i);
  std::cout << "sum of all ranges: " << sum << '\n';
}
