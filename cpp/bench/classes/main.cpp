// SPDX-License-Identifier: Apache-2.0
// The C++ side of `wirecost bench classes`: one program per library; its driver is Python.
//   built     compiler and flags
//   list      the library's version and its modes
//   allocator the files in which malloc and free lie
//   verify    writes the message that a new object comes to
//   measure   the allocator, then samples: repetition, stage, nanoseconds per operation
//   memory    bytes that malloc gave for one message, and those that stay when it is destroyed
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "bench/allocator.hpp"
#include "bench/arguments.hpp"
#include "bench/classes/operations.hpp"
#include "bench/classes/request.hpp"

namespace wirecost::bench::classes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_sample_ns = 100'000;  // a sample of fewer would measure the clock
constexpr int warm_runs = 3;

std::unique_ptr<Operations> operations(const Request& request, std::span<const std::byte> message) {
  for (const Mode& mode : modes())
    if (mode.name == request.mode)
      return mode.operations(request.objects, request.content == "full", message);
  throw std::invalid_argument("mode " + request.mode + " is not known");
}

void verify(const Request& request) {
  const std::vector<std::byte> made = operations(request, {})->made_by(Stage::build);
  std::ofstream file(request.message, std::ios::binary);
  file.write(reinterpret_cast<const char*>(made.data()), static_cast<std::streamsize>(made.size()));
  if (!file.flush()) throw std::runtime_error(request.message.string() + " cannot be written");
}

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

/// Every operation must come to the bytes that all contenders agreed on.
void check(Operations& all, const std::vector<std::byte>& message, const char* when) {
  for (std::size_t stage = 0; stage < stages; ++stage)
    if (all.made_by(static_cast<Stage>(stage)) != message)
      throw std::runtime_error(std::string(stage_names[stage]) + " made another message " + when);
}

void measure(const Request& request) {
  const std::vector<std::byte> message = bytes_of(request.message);
  const std::unique_ptr<Operations> all = operations(request, message);
  print_allocator();
  check(*all, message, "before it was timed");
  std::array<std::size_t, stages> passes{};
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (int i = 0; i < warm_runs; ++i) all->run(static_cast<Stage>(stage));
    const Clock::time_point begin = Clock::now();
    all->run(static_cast<Stage>(stage));
    const double ns = std::max(nanoseconds(Clock::now() - begin), 1.0);
    passes[stage] = static_cast<std::size_t>(least_sample_ns / ns) + 1;
  }
  for (std::size_t repetition = 0; repetition < request.repetitions; ++repetition) {
    for (std::size_t stage = 0; stage < stages; ++stage) {
      all->run(static_cast<Stage>(stage));  // warms
      const Clock::time_point begin = Clock::now();
      for (std::size_t pass = 0; pass < passes[stage]; ++pass) all->run(static_cast<Stage>(stage));
      const double ns = nanoseconds(Clock::now() - begin);
      std::printf("%zu\t%s\t%.3f\n", repetition, stage_names[stage],
                  ns / static_cast<double>(passes[stage]));
    }
    std::fflush(stdout);
  }
  check(*all, message, "after it was timed");
}

/// What malloc has given and not got back, its own headers included.
std::size_t held() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

void memory(const Request& request) {
  const std::unique_ptr<Operations> all = operations(request, {});
  std::printf("memory");  // standard output has its buffer from here on
  const std::size_t before = held();
  // Arenas grow to the size of their first message, and free lists are filled by it.
  all->hold();
  all->release();
  all->hold();
  const std::size_t during = held();
  all->release();
  // Less than before where it had freed what was there at the start.
  std::printf("\t%zu\t%td\n", during - before, static_cast<std::ptrdiff_t>(held() - before));
}

void list() {
  std::printf("%s\n", library().c_str());
  for (const Mode& mode : modes()) std::printf("%s\n", mode.name.c_str());
}

void run(const Request& request) {
  if (request.command == "built") {
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  } else if (request.command == "list") {
    list();
  } else if (request.command == "allocator") {
    print_allocator();
  } else if (request.command == "verify") {
    verify(request);
  } else if (request.command == "measure") {
    measure(request);
  } else if (request.command == "memory") {
    memory(request);
  } else {
    throw std::invalid_argument("command " + request.command + " is not known");
  }
}

}  // namespace
}  // namespace wirecost::bench::classes

int main(int argc, char** argv) {
  try {
    wirecost::bench::classes::run(wirecost::bench::classes::Request::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "classes: %s\n", error.what());
    return 2;
  }
}
