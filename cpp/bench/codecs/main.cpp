// SPDX-License-Identifier: Apache-2.0
// The C++ side of `wirecost bench codecs`; its driver is Python and reads standard output.
//   built    compiler and flags
//   list     codecs of this build, a line each: name, library, lossy or exact, whether a rival
//   race     all of them in turns, in one thread (bench/turns.hpp): bytes, nanoseconds to encode
//   and
//            to decode. In the first round the decoded points go into a file of the codec's name in
//            --out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/arguments.hpp"
#include "bench/codecs/codec.hpp"
#include "bench/turns.hpp"

namespace wirecost::bench::codecs {
namespace {

struct Request {
  std::filesystem::path cloud, out;
  std::vector<std::string> names, places;  ///< of fields: offset, type and count
  std::size_t height = 1, width = 0, step = 0, rounds = 1, seed = 1;
  std::string error = "0";
};

std::vector<cloud::Field> fields_of(const Request& request) {
  if (request.names.size() != request.places.size())
    throw std::invalid_argument("a --field without its --place");
  std::vector<cloud::Field> fields;
  for (std::size_t at = 0; at < request.names.size(); ++at) {
    unsigned offset = 0, type = 0, count = 0;
    if (std::sscanf(request.places[at].c_str(), "%u:%u:%u", &offset, &type, &count) != 3)
      throw std::invalid_argument("--place is offset:type:count");
    fields.push_back({request.names[at], offset, static_cast<cloud::Type>(type), count});
  }
  return fields;
}

double elapsed_ns(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - since).count();
}

void race(const Request& request) {
  const std::vector<std::byte> bytes = bytes_of(request.cloud);
  const std::vector<cloud::Field> fields = fields_of(request);
  const auto step = static_cast<std::uint32_t>(request.step);
  const auto width = static_cast<std::uint32_t>(request.width);
  const Task task{
      {static_cast<std::uint32_t>(request.height), width, fields, false, step, width * step, bytes},
      std::stod(request.error)};
  cloud::points(task.view);
  auto runners = runners_of(all(), [&](const Listed& listed) { return listed.make(task); });
  std::vector<std::byte> points(bytes.size());
  in_turns(std::move(runners), request.rounds, request.seed, [&](auto& runner, std::size_t round) {
    std::ranges::fill(points, std::byte{0xA5});
    auto begin = std::chrono::steady_clock::now();
    const auto packed = runner.contender->encode();
    const double encode_ns = elapsed_ns(begin);
    begin = std::chrono::steady_clock::now();
    runner.contender->decode(packed, points);
    const double decode_ns = elapsed_ns(begin);
    print_sample(runner.name, round, static_cast<double>(packed.size()), {encode_ns, decode_ns});
    if (round > 0) return;
    std::ofstream file(request.out / runner.name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(points.data()),
               static_cast<std::streamsize>(points.size()));
    if (!file.flush()) throw std::runtime_error("its points cannot be written");
  });
}

void run(int argc, char** argv) {
  Request request;
  const std::string command = read_arguments(argc, argv,
                                             {{"--cloud", into(request.cloud)},
                                              {"--out", into(request.out)},
                                              {"--field", into(request.names)},
                                              {"--place", into(request.places)},
                                              {"--height", into(request.height)},
                                              {"--width", into(request.width)},
                                              {"--step", into(request.step)},
                                              {"--rounds", into(request.rounds)},
                                              {"--seed", into(request.seed)},
                                              {"--error", into(request.error)}});
  if (command == "built")
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  else if (command == "list")
    for (const Listed& one : all())
      std::printf("%s\t%s\t%s\t%d\n", one.name.c_str(), one.library.c_str(),
                  one.is_lossy ? "lossy" : "exact", one.is_rival);
  else if (command == "race")
    race(request);
  else
    throw std::invalid_argument("command " + command + " is not known");
}

}  // namespace

std::vector<Listed> all() {
  std::vector<Listed> found = general();
  const auto add = [&](const std::vector<Listed>& more, bool is_rival = false) {
    for (Listed listed : more) {
      listed.is_rival = is_rival;
      found.push_back(std::move(listed));
    }
  };
#ifdef WIRECOST_HAS_DRACO
  add(draco(), true);
#endif
#ifdef WIRECOST_HAS_CLOUDINI
  add(cloudini(), true);
#endif
  add(columns_wire());
  add(ours());
  return found;
}

}  // namespace wirecost::bench::codecs

int main(int argc, char** argv) {
  try {
    wirecost::bench::codecs::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "codecs: %s\n", error.what());
    return 2;
  }
}
