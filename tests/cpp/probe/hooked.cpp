// SPDX-License-Identifier: Apache-2.0
// Allocates, and waits for a lock that another thread holds: what preloaded libraries must count.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "wirecost/probe.hpp"

std::mutex mutex;
std::atomic<bool> held{false};
const pid_t waiting_thread = getpid();  // the first thread

/// The compiler must not see that nobody uses it.
void* kept(void* memory) {
  asm volatile("" : "+r"(memory));
  return memory;
}

/// Whether the kernel has put that thread of this process to sleep.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") S") == 0;
}

[[gnu::noinline]] void holder() {
  const std::lock_guard lock(mutex);
  held = true;
  while (!sleeps(waiting_thread)) {
  }
  usleep(1000);
}

[[gnu::noinline]] void waiter() {
  const std::lock_guard lock(mutex);
  held = false;
}

int main() {
  const std::uint32_t allocating = wirecost_probe_section("allocating");
  const std::uint32_t waiting = wirecost_probe_section("waiting");
  const std::uint32_t nothing = wirecost_probe_section("nothing");
  const std::uint32_t deep = wirecost_probe_section("deep");
  const std::uint32_t nested = wirecost_probe_section("nested");
  for (int i = 0; i < 10; ++i) {
    {
      const wirecost::probe::Section section(allocating);
      for (int k = 0; k < 7; ++k) std::free(kept(std::malloc(100)));
      std::free(kept(std::realloc(kept(std::calloc(2, 50)), 300)));
    }
    {
      // Deeper than a log holds.
      const wirecost::probe::Section section(deep);
      for (int k = 0; k < 40; ++k) wirecost_probe_begin(nested, WIRECOST_PROBE_COUNT_LOOPS);
      for (int k = 0; k < 40; ++k) wirecost_probe_end(nested, 0);
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
