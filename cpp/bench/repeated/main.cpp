// SPDX-License-Identifier: Apache-2.0
// The C++ side of `wirecost bench repeated`; its driver is Python and reads standard output.
//   built     compiler and flags
//   fields    a line for each field of each list: name, message, number of its rows, field, type,
//             error of the reduced contender
//   list      contenders of a list, a line each: name, mode, wire, library, guarantees
//   verify    what every contender wrote and what it read again, twice: files in a folder
//   measure   samples: contender, repetition, stage, nanoseconds per message; in the end the sums
//   of
//             what each read
//   count     allocations per message
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "bench/allocations.hpp"
#include "bench/arguments.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "bench/repeated/request.hpp"

namespace wirecost::bench::repeated {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_sample_ns = 100'000;  // a sample of fewer would measure the clock
constexpr int warm_runs = 3;

std::vector<RepeatedField> all_fields() {
  return {radar_reflection(), radar_detection(), lidar_reflection(),
          lidar_detection(),  moving_object(),   point()};
}

std::string key(const Contender& contender) {
  return contender.about().name + "/" + contender.about().mode;
}

Contenders chosen(const Request& request) {
  for (const RepeatedField& one : all_fields()) {
    if (one.name != request.field) continue;
    Contenders all = one.contenders();
    if (request.contenders.empty()) return all;
    std::erase_if(all, [&](const auto& one) {
      return std::ranges::find(request.contenders, key(*one)) == request.contenders.end();
    });
    return all;
  }
  throw std::invalid_argument("list " + request.field + " is not known");
}

Contenders loaded(const Request& request) {
  Contenders all = chosen(request);
  const std::vector<std::byte> content = bytes_of(request.content);
  for (const auto& one : all) one->load(content, request.count);
  return all;
}

void fields() {
  for (const RepeatedField& one : all_fields())
    for (const FieldDescription& field : one.fields)
      std::printf("%s\t%s\t%u\t%s\t%s\t%.17g\n", one.name.c_str(), one.message.c_str(), one.rows,
                  field.name.c_str(), field.type.c_str(), field.error);
}

void list(const Contenders& contenders) {
  for (const auto& one : contenders) {
    const About& about = one->about();
    std::printf("%s\t%s\t%s\t%s\t%s\n", about.name.c_str(), about.mode.c_str(), about.wire.c_str(),
                about.library.c_str(), about.guarantees.c_str());
  }
}

void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

void verify(const Request& request) {
  std::size_t number = 0;
  for (const auto& one : loaded(request)) {
    one->encode();
    // Twice: reused memory must not carry anything over, unwritten bytes must show.
    for (const int fill : {0xA5, 0x5A}) {
      one->poison(static_cast<std::byte>(fill));
      one->encode();
      const std::string name = std::to_string(number++);
      write(request.out / (name + ".encoded"), one->encoded());
      write(request.out / (name + ".decoded"), one->decoded());
      std::printf("%s\t%s\n", key(*one).c_str(), name.c_str());
    }
  }
}

enum Stage : std::uint8_t { encode, decode, total, stages };
constexpr std::array<const char*, stages> stage_names{"encode", "decode", "total"};

void run(Contender& contender, Stage stage) {
  if (stage != Stage::decode) contender.encode();
  if (stage != Stage::encode) contender.decode();
}

/// A contender and how many times it runs for one sample.
struct Entry {
  Contender* contender;
  std::size_t passes = 1;
};

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

void measure_once(const Entry& entry, Stage stage, std::size_t repetition) {
  run(*entry.contender, stage);  // warms
  const Clock::time_point begin = Clock::now();
  for (std::size_t pass = 0; pass < entry.passes; ++pass) run(*entry.contender, stage);
  const double ns = nanoseconds(Clock::now() - begin);
  std::printf("%s\t%zu\t%s\t%.3f\n", key(*entry.contender).c_str(), repetition, stage_names[stage],
              ns / static_cast<double>(entry.passes));
}

void measure(const Request& request) {
  const Contenders contenders = loaded(request);
  std::vector<Entry> entries;
  for (const auto& one : contenders) {
    for (int i = 0; i < warm_runs; ++i) run(*one, Stage::total);
    const Clock::time_point begin = Clock::now();
    run(*one, Stage::total);
    const double ns = std::max(nanoseconds(Clock::now() - begin), 1.0);
    entries.push_back({one.get(), static_cast<std::size_t>(least_sample_ns / ns) + 1});
  }
  for (std::size_t repetition = 0; repetition < request.repetitions; ++repetition) {
    for (const Stage stage : {Stage::encode, Stage::decode, Stage::total})
      for (const Entry& entry : entries) measure_once(entry, stage, repetition);
    std::fflush(stdout);
  }
  // A contender that only pretended while it was watched reads something else.
  for (const Entry& entry : entries) {
    entry.contender->take_sum();
    run(*entry.contender, Stage::total);
    std::printf("%s\t0\tsum\t%llu\n", key(*entry.contender).c_str(),
                static_cast<unsigned long long>(entry.contender->take_sum()));
  }
}

void count(const Request& request) {
  for (const auto& one : loaded(request)) {
    for (int i = 0; i < warm_runs; ++i) run(*one, Stage::total);
    const std::string name = key(*one);
    const std::uint64_t before = allocations();
    run(*one, Stage::total);
    const std::uint64_t made = allocations() - before;
    std::printf("%s\t%llu\n", name.c_str(), static_cast<unsigned long long>(made));
  }
}

void run(const Request& request) {
  if (request.command == "built") {
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  } else if (request.command == "fields") {
    fields();
  } else if (request.command == "list") {
    list(chosen(request));
  } else if (request.command == "verify") {
    verify(request);
  } else if (request.command == "measure") {
    measure(request);
  } else if (request.command == "count") {
    count(request);
  } else {
    throw std::invalid_argument("command " + request.command + " is not known");
  }
}

}  // namespace
}  // namespace wirecost::bench::repeated

int main(int argc, char** argv) {
  try {
    wirecost::bench::repeated::run(wirecost::bench::repeated::Request::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "repeated: %s\n", error.what());
    return 2;
  }
}
