// SPDX-License-Identifier: Apache-2.0
// The C++ side of `wirecost bench static`; its driver is Python and reads standard output.
//   built    compiler and flags
//   list     contenders, a line each: name, what each message holds (all, changed or once),
//            library, and whether it is a rival
//   race     all of them in turns, in one thread (bench/turns.hpp): bytes of a step, nanoseconds to
//            write and to read it; a fact: bytes sent before the first step
//   messages each contender's first message, in a file of its name in --out, and the one with the
//            roads before it, in <name>.roads
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/arguments.hpp"
#include "bench/static/contender.hpp"
#include "bench/turns.hpp"

namespace wirecost::bench::static_ {
namespace {

struct Request {
  std::filesystem::path roads, traffic, out;
  std::size_t rounds = 1, seed = 1;
};

std::vector<Listed> all() {
  std::vector<Listed> found;
  const auto add = [&](const std::vector<Listed>& more, const std::string& library, bool is_used) {
    for (Listed listed : more) {
      listed.library = library;
      listed.is_rival = is_used && listed.sent == Sent::all;
      found.push_back(std::move(listed));
    }
  };
  add(of_protobuf(), "protobuf " + protobuf_version(), true);
  add(of_flatbuffers(), "flatbuffers " + flatbuffers_version(), false);
  add(of_columns(), "wirecost", false);
  return found;
}

Roads roads_at(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = bytes_of(path);
  Roads roads = roads_in(Bytes(bytes));
  if (roads.lanes.empty()) throw std::runtime_error("no lanes in " + path.string());
  return roads;
}

/// Messages behind their lengths, as .osi has them.
std::vector<Traffic> traffic_at(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = bytes_of(path);
  std::vector<Traffic> steps;
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof(size));
    at += sizeof(size);
    if (size > bytes.size() - at) throw std::runtime_error(path.string() + " is cut off");
    steps.push_back(traffic_in(Bytes(bytes).subspan(at, size)));
    at += size;
  }
  if (steps.empty()) throw std::runtime_error("no steps in " + path.string());
  return steps;
}

double sum_of(const Traffic& traffic, const Lane& lane) {
  Seen seen;
  for (const MovingObject& object : traffic.objects) seen.add(object);
  for (const Vector3& point : lane.centerline) seen.add(point);
  return seen.sum();
}

struct Taken {
  std::size_t bytes = 0;
  double write_ns = 0, read_ns = 0;
};

/// Sends all steps; `whole`: compares everything that is read, not only its sum.
Taken send(Contender& contender, const Roads& roads, const std::vector<Traffic>& steps,
           const std::vector<double>& sums, bool whole) {
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  Taken taken;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const auto begin = Clock::now();
    const Bytes message = contender.write(steps[at]);
    const auto written = Clock::now();
    const double sum = contender.read(message, at % roads.lanes.size());
    const auto end = Clock::now();
    taken.bytes += message.size();
    taken.write_ns += Nanoseconds(written - begin).count();
    taken.read_ns += Nanoseconds(end - written).count();
    if (sum != sums[at]) throw std::runtime_error("other values were read than were written");
    if (whole && !(contender.traffic() == steps[at] && contender.roads() == roads))
      throw std::runtime_error("not everything that was written was read");
  }
  return taken;
}

void race(const Request& request) {
  const Roads roads = roads_at(request.roads);
  const std::vector<Traffic> steps = traffic_at(request.traffic);
  std::vector<double> sums;
  sums.reserve(steps.size());
  for (std::size_t at = 0; at < steps.size(); ++at)
    sums.push_back(sum_of(steps[at], roads.lanes[at % roads.lanes.size()]));
  auto runners = runners_of(all(), [](const Listed& listed) { return listed.make(); });
  for (const auto& [name, contender] : runners)
    print_fact(name, "static_bytes", static_cast<double>(contender->begin(roads).size()));
  const auto count = static_cast<double>(steps.size());
  in_turns(std::move(runners), request.rounds, request.seed, [&](auto& runner, std::size_t round) {
    const Taken taken = send(*runner.contender, roads, steps, sums, round == 0);
    print_sample(runner.name, round, static_cast<double>(taken.bytes) / count,
                 {taken.write_ns / count, taken.read_ns / count});
  });
}

void store(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

void store_messages(const Request& request) {
  const Roads roads = roads_at(request.roads);
  const std::vector<Traffic> steps = traffic_at(request.traffic);
  for (const Listed& listed : all()) {
    const auto contender = listed.make();
    store(request.out / (listed.name + ".roads"), contender->begin(roads));
    store(request.out / listed.name, contender->write(steps.front()));
  }
}

void run(int argc, char** argv) {
  Request request;
  const std::string command = read_arguments(argc, argv,
                                             {{"--roads", into(request.roads)},
                                              {"--traffic", into(request.traffic)},
                                              {"--out", into(request.out)},
                                              {"--rounds", into(request.rounds)},
                                              {"--seed", into(request.seed)}});
  if (command == "built")
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  else if (command == "list")
    for (const Listed& one : all())
      std::printf("%s\t%s\t%s\t%d\n", one.name.c_str(),
                  one.sent == Sent::all       ? "all"
                  : one.sent == Sent::changed ? "changed"
                                              : "once",
                  one.library.c_str(), one.is_rival);
  else if (command == "race")
    race(request);
  else if (command == "messages")
    store_messages(request);
  else
    throw std::invalid_argument("command " + command + " is not known");
}

}  // namespace
}  // namespace wirecost::bench::static_

int main(int argc, char** argv) {
  try {
    wirecost::bench::static_::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "static: %s\n", error.what());
    return 2;
  }
}
