// SPDX-License-Identifier: Apache-2.0
// A real-time loop at 1 kHz that does one thing wrong, and a budget that finds it:
//   g++ -g -O1 loop.cpp -pthread -o loop
//   wirecost probe check --budget loop.toml -- ./loop vector      # exceeded
//   wirecost probe check --budget loop.toml -- ./loop none        # met
// Faults: vector, string, function, log, exception, page, lock, printf; none: mended.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t page = 4096;
constexpr std::size_t loops_at_most = 100'000;
volatile double sink = 0;

void raise_and_catch() {
  try {
    throw std::runtime_error("limit");
  } catch (const std::runtime_error&) {
    sink = 1;
  }
}

}  // namespace

namespace control {

struct Controller {
  std::string fault;
  std::string name = "a controller whose name does not fit into the string itself";
  std::vector<double> samples;
  std::function<double()> command;
  std::mutex shared;
  char* fresh = nullptr;

  // A call that is inlined cannot be recorded; one of a virtual method seldom is.
  [[gnu::noinline]] void update(std::size_t loop) {
    std::array<double, 7> state{};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = static_cast<double>(i * loop);
    if (fault == "vector") samples.push_back(state[1]);
    if (fault == "string") sink = static_cast<double>(std::string(name).size());
    if (fault == "function") command = [state] { return state[1]; }, sink = command();
    if (fault == "log")
      std::clog << (std::ostringstream() << "state of the first joint: " << state[1]).str() << '\n';
    if (fault == "exception") raise_and_catch();
    if (fault == "page") fresh[loop * page] = 1;
    if (fault == "lock") const std::lock_guard<std::mutex> lock(shared);
    if (fault == "printf") std::printf("state %f\n", state[1]), std::fflush(stdout);
    sink = state[1];
  }
};

}  // namespace control

int main(int count, char** words) {
  control::Controller controller;
  controller.fault = count > 1 ? words[1] : "none";
  const std::size_t loops = count > 2 ? std::strtoul(words[2], nullptr, 10) : 1000;
  if (loops > loops_at_most) return 2;
  void* const memory =
      mmap(nullptr, loops * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  controller.fresh = static_cast<char*>(memory);

  bool ended = false;
  std::thread slow([&] {
    for (bool last = false; !last; std::this_thread::sleep_for(100us)) {
      const std::lock_guard<std::mutex> lock(controller.shared);
      std::this_thread::sleep_for(2ms);
      last = ended;
    }
  });
  auto next = Clock::now();
  for (std::size_t loop = 0; loop < loops; ++loop) {
    std::this_thread::sleep_until(next = std::max(next + 1ms, Clock::now()));
    controller.update(loop);
  }
  {
    const std::lock_guard<std::mutex> lock(controller.shared);
    ended = true;
  }
  slow.join();
}
