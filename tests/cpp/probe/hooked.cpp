// SPDX-License-Identifier: Apache-2.0
// Allocates, and waits for a lock that another thread holds: what preloaded libraries must count.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "wirecost/probe.hpp"

std::mutex mutex;
std::atomic<bool> held{false};
void* volatile sink;

[[gnu::noinline]] void holder() {
  const std::lock_guard lock(mutex);
  held = true;
  usleep(3000);
}

[[gnu::noinline]] void waiter() {
  const std::lock_guard lock(mutex);
  held = false;
}

int main() {
  const std::uint32_t allocating = wirecost_probe_section("allocating");
  const std::uint32_t waiting = wirecost_probe_section("waiting");
  const std::uint32_t nothing = wirecost_probe_section("nothing");
  for (int i = 0; i < 10; ++i) {
    {
      const wirecost::probe::Section section(allocating);
      for (int k = 0; k < 7; ++k) std::free(sink = std::malloc(100));
      std::free(sink = std::realloc(std::calloc(2, 50), 300));
    }
    std::thread other(holder);
    while (!held) {
    }
    {
      const wirecost::probe::Section section(waiting);
      waiter();
    }
    other.join();
    const wirecost::probe::Section section(nothing);
  }
}
