// SPDX-License-Identifier: Apache-2.0
// The C++ side of the study of point clouds; its driver is Python and reads standard output.
//   built     compiler and flags
//   list      versions of both studies, a line each: study, name, library, about
//   absent    versions that this build lacks: study, name, why
//   verify    a version's answer to each cloud, twice: files in a folder
//   serve     answers {"done": "warm"}; to each {"do": "call", "times": N} on standard input it
//             runs N callbacks and answers {"done": "call"}. Each is a section of the probe that is
//             named after the version, and its value is the number of points. Every message
//             differs, in which points are exchanged, as `--secret` has it. `--calls` is the number
//             of the first. To any other command: {"digest": "…"} of all its answers, and it ends
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "cloud/cpp/exchanged.hpp"
#include "cloud/cpp/request.hpp"
#include "cloud/cpp/versions.hpp"
#include "wirecost/probe.hpp"

namespace wirecost::bench::cloud {
namespace {

constexpr int warm_calls = 20;
constexpr int least_warm_calls = 1;
constexpr std::chrono::milliseconds warm_time{100};  // after which the least are enough

std::unique_ptr<Contender> contender(const Request& request) {
  for (const Listed& one : versions())
    if (one.study == request.study && one.version.name == request.version)
      return one.version.make();
  throw std::invalid_argument("version " + request.study + " " + request.version + " is not known");
}

void write(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

void verify(const Request& request) {
  const auto one = contender(request);
  const Input input = request.input();
  one->load(input);
  // Twice: reused memory must not carry anything over.
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t cloud = 0; cloud < input.clouds.size(); ++cloud) {
      one->call(cloud);
      write(request.out / (std::to_string(turn) + "." + std::to_string(cloud)), one->answer());
    }
  }
}

/// Words of 64 bits, the rest filled with zeros, times 1, 3, 5, …, modulo 2^64.
std::uint64_t digest(const std::vector<std::byte>& bytes) {
  std::uint64_t found = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    found += word * (at / 4 + 1);
  }
  return found;
}

void serve(const Request& request) {
  const auto one = contender(request);
  const Input input = request.input();
  one->load(input);
  const std::size_t clouds = input.clouds.size();
  const std::size_t step = request.study == "area" ? 16 : request.older ? 40 : 32;
  wirecost_probe_prepare_thread();
  const std::uint32_t warming = wirecost_probe_section("warm-up");
  const std::uint32_t section = wirecost_probe_section(request.version.c_str());
  std::uint64_t calls = 0, answers = 0;
  const auto run = [&](std::uint32_t id) {
    const std::size_t cloud = calls % clouds;
    const std::size_t points = input.clouds[cloud].size() / step;
    {
      const std::uint64_t which = request.secret + (id == section ? calls : ~calls);
      const Exchanged exchanged(one->message(cloud), points, step, which);
      wirecost_probe_begin(id, calls++);
      one->call(cloud);
      wirecost_probe_end(id, static_cast<std::int64_t>(points));
    }
    // The message is gone: who has not answered it by now cannot any more.
    answers = answers * 31 + digest(one->answer());
  };
  const auto warm_end = std::chrono::steady_clock::now() + warm_time;
  for (int i = 0; i < warm_calls; ++i) {
    if (i >= least_warm_calls && std::chrono::steady_clock::now() > warm_end) break;
    run(warming);
  }
  std::puts(R"({"done": "warm"})");
  std::fflush(stdout);
  calls = request.calls;
  answers = 0;
  for (std::string line; std::getline(std::cin, line);) {
    int left = 0;
    if (std::sscanf(line.c_str(), R"({"do": "call", "times": %d})", &left) != 1) break;
    for (; left > 0; --left) run(section);
    std::puts(R"({"done": "call"})");
    std::fflush(stdout);
  }
  std::printf("{\"digest\": \"%016llx\"}\n", static_cast<unsigned long long>(answers));
}

void run(const Request& request) {
  if (request.command == "built") {
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  } else if (request.command == "list") {
    for (const auto& [study, version] : versions())
      std::printf("%s\t%s\t%s\t%s\n", study.c_str(), version.name.c_str(), version.library.c_str(),
                  version.about.c_str());
  } else if (request.command == "absent") {
#ifndef WIRECOST_HAS_PCL
    std::puts("ring\tusual\tbuilt without PCL's headers (docs/cloud.md says how to get them)");
#endif
  } else if (request.command == "verify") {
    verify(request);
  } else if (request.command == "serve") {
    serve(request);
  } else {
    throw std::invalid_argument("command " + request.command + " is not known");
  }
}

}  // namespace
}  // namespace wirecost::bench::cloud

int main(int argc, char** argv) {
  try {
    wirecost::bench::cloud::run(wirecost::bench::cloud::Request::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cloud: %s\n", error.what());
    return 2;
  }
}
