// SPDX-License-Identifier: Apache-2.0
// One program per library; its driver is Python and reads standard output.
//   verify FOLDER CONTENT       each mode's messages, sent and sent again once read, into files
//   allocator                   the files in which its malloc and free lie
//   measure N MODE CONTENT...   the allocator; samples: content, repetition, stage, nanoseconds per
//                               message; messages that were timed: content, repetition, sent, the
//                               bytes, what they should be
//   count MODE CONTENT          allocations per message, if the library that counts is preloaded
//   memory MODE CONTENT         bytes that malloc gives for a message, and those that stay given
// CONTENT: a file of messages, each behind its length in 8 bytes, little-endian.
#include "harness.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <numeric>

#include "random.hpp"
#include "stopwatch.hpp"

using message_bench::Contender;

// callgrind counts the instructions of this function alone, by its name.
extern "C" [[gnu::noinline]] void wirecost_counted(Contender& contender, std::size_t messages) {
  contender.run_total(messages);
}

namespace message_bench {
namespace {

constexpr std::array<const char*, stages> stage_names{"fill", "encode", "decode", "read",
                                                      "destroy"};
// Fewer or smaller messages are repeated: a pass through them would measure the clock.
constexpr std::size_t least_messages = 64, enough_bytes = 64 << 10;
// A sample of fewer nanoseconds would measure the clock.
constexpr double least_sample_ns = 100'000;
// Bytes of a message that is printed.
constexpr std::size_t longest_sent = 1 << 20;

Bytes contents_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "its content cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::unique_ptr<Messages> loaded(const char* path) {
  const Bytes bytes = contents_of(path);
  std::unique_ptr<Messages> messages = no_messages();
  for (std::span<const std::byte> rest(bytes); !rest.empty();) {
    std::uint64_t size = 0;
    require(rest.size() >= 8, "its content is cut");
    std::memcpy(&size, rest.data(), 8);
    require(size <= rest.size() - 8, "its content is cut");
    messages->append(rest.subspan(8, size));
    messages->largest = std::max<std::size_t>(messages->largest, size);
    messages->bytes += size;
    rest = rest.subspan(8 + size);
  }
  messages->largest += messages->largest / 2 + 64;  // another writer may need more
  return messages;
}

void repeat(Messages& messages) {
  const std::size_t count = messages.size(), once = messages.bytes;
  for (std::size_t i = 0;
       count != 0 && messages.size() < least_messages && messages.bytes < enough_bytes; ++i) {
    messages.repeat(i % count);
    messages.bytes += once / count;
  }
}

std::uint64_t sum_of(const Messages& messages, std::size_t count) {
  const auto end = messages.sums.begin() + static_cast<std::ptrdiff_t>(count);
  return std::accumulate(messages.sums.begin(), end, std::uint64_t{0});
}

void print_hex(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) std::printf("%02x", std::to_integer<unsigned>(byte));
}

// One content, and the contender that carries it.
struct Measured {
  Messages& content;
  Contender& contender;
  std::size_t passes = 1;

  std::size_t messages() const { return content.size(); }
  void check_sum(std::size_t count) {
    const std::uint64_t sum = contender.take_sum();
    require(contender.is_floor() || contender.is_lossy() || sum == sum_of(content, count),
            "it did not read what was sent");
  }
};

// Measures in turns; messages differ in every pass, and how many there are is not foreseen, so that
// nobody knows which are looked at.
class Measurement {
 public:
  explicit Measurement(std::vector<Measured> all) : all_(std::move(all)) {}

  void run(std::size_t repetitions) {
    for (Measured& one : all_) {
      for (int i = 0; i < 3; ++i) one.contender.run_total(one.messages());
      const Stopwatch stopwatch;
      one.contender.run_total(one.messages());
      const double ns = std::max(stopwatch.nanoseconds(), 1.0);
      one.passes = static_cast<std::size_t>(least_sample_ns / ns) + 1;
    }
    looked_at_ = random_() % std::max<std::size_t>(repetitions, 1);
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      for (std::size_t at = 0; at < all_.size(); ++at) {
        total(at, repetition);
        all_stages(at, repetition);
      }
      std::fflush(stdout);
    }
  }

 private:
  void total(std::size_t at, std::size_t repetition) {
    Measured& one = all_[at];
    one.contender.run_total(one.messages());  // the others have left their own data in the caches
    one.contender.take_sum();
    double ns = 0;
    std::size_t carried = 0, count = 0;
    for (std::size_t pass = 0; pass < one.passes; ++pass) {
      one.content.alter(random_);
      carried += count = one.messages() - random_() % (one.messages() / 2 + 1);
      const Stopwatch stopwatch;
      one.contender.run_total(count);
      ns += stopwatch.nanoseconds();
      one.check_sum(count);
    }
    print_sent(at, repetition, one.contender.last(), count - 1);
    print(at, repetition, "total", ns / static_cast<double>(carried));
  }

  void all_stages(std::size_t at, std::size_t repetition) {
    Measured& one = all_[at];
    std::array<double, stages> ns{};
    for (std::size_t pass = 0; pass <= one.passes; ++pass) {
      one.content.alter(random_);
      for (std::size_t stage = 0; stage < stages; ++stage) {
        const Stopwatch stopwatch;
        one.contender.run(static_cast<Stage>(stage));
        if (pass != 0) ns[stage] += stopwatch.nanoseconds();  // the first one warms
        if (stage == encode && pass == 0) {
          const std::size_t i = random_() % one.messages();
          print_sent(at, repetition, one.contender.sent(i), i);
        }
      }
      one.check_sum(one.messages());
    }
    for (std::size_t stage = 0; stage < stages; ++stage)
      print(at, repetition, stage_names[stage],
            ns[stage] / static_cast<double>(one.passes * one.messages()));
  }

  // For an independent reader, once in each process; long messages would take long to be read.
  void print_sent(std::size_t at, std::size_t repetition, std::span<const std::byte> bytes,
                  std::size_t i) {
    if (repetition != looked_at_ || all_[at].contender.is_floor() || bytes.size() > longest_sent)
      return;
    std::printf("%zu\t%zu\tsent\t", at, repetition);
    print_hex(bytes);
    std::printf("\t");
    print_hex(all_[at].content.bytes_of(i));
    std::printf("\n");
  }
  static void print(std::size_t at, std::size_t repetition, const char* stage, double ns) {
    std::printf("%zu\t%zu\t%s\t%.3f\n", at, repetition, stage, ns);
  }

  std::vector<Measured> all_;
  std::size_t looked_at_ = 0;
  Random random_;
};

// The loader ignores a library that it cannot preload.
void print_allocator() {
  std::printf("allocator");
  for (const char* name : {"malloc", "free"}) {
    Dl_info info{};
    const void* const function = dlsym(RTLD_DEFAULT, name);
    const bool is_known = function != nullptr && dladdr(function, &info) != 0;
    std::printf("\t%s", is_known ? info.dli_fname : "unknown");
  }
  std::printf("\n");
}

void count(Contender& contender, std::size_t messages) {
  using Counts = const std::uint64_t*();
  auto* const counts = reinterpret_cast<Counts*>(dlsym(RTLD_DEFAULT, "wirecost_allocation_counts"));
  for (int i = 0; i < 3; ++i) contender.run_total(messages);
  const std::uint64_t before = counts != nullptr ? *counts() : 0;
  wirecost_counted(contender, messages);
  const std::uint64_t made = (counts != nullptr ? *counts() : 0) - before;
  std::printf("%.3f\n", static_cast<double>(made) / static_cast<double>(messages));
}

// What malloc has given and not got back, its own headers included.
std::size_t given() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

void memory(Contender& contender) {
  std::printf("memory");  // standard output has its buffer from here on
  const std::size_t before = given();
  // Arenas grow to the size of their first message, and free lists are filled by it.
  for (const Stage stage : {fill, destroy, fill}) contender.run(stage);
  const std::size_t during = given();
  contender.run(destroy);
  // Less than before where it had freed what was there at the start.
  std::printf("\t%zu\t%td\n", during - before, static_cast<std::ptrdiff_t>(given() - before));
}

void put(std::ofstream& file, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  std::array<char, 8> length{};
  std::memcpy(length.data(), &size, 8);
  file.write(length.data(), 8);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
}

// MODE.sent and, where it can, MODE.back.
void verify(Contender& one, const Messages& messages, const std::string& folder) {
  for (int stage = fill; stage < destroy; ++stage) one.run(static_cast<Stage>(stage));
  const bool read_all = one.take_sum() == sum_of(messages, messages.size()) || one.is_lossy();
  std::ofstream sent(folder + "/" + one.mode() + ".sent", std::ios::binary);
  std::optional<std::ofstream> back;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    put(sent, one.sent(i));
    const std::optional<Bytes> again = one.back(i);
    if (!again) continue;
    if (!back) back.emplace(folder + "/" + one.mode() + ".back", std::ios::binary);
    put(*back, *again);
  }
  one.run(destroy);
  // What was sent back tells which field differs.
  require(read_all || back, "it did not read what was sent");
  require(sent.flush().good() && (!back || back->flush().good()), "its files cannot be written");
}

std::unique_ptr<Contender> chosen(const Messages& messages, std::string_view mode) {
  for (auto& one : messages.contenders())
    if (one->mode() == mode) return std::move(one);
  throw std::runtime_error("its mode is not known");
}

void measure(const std::vector<std::unique_ptr<Messages>>& contents, std::size_t repetitions,
             std::string_view mode) {
  Contenders contenders;
  std::vector<Measured> all;
  for (const auto& content : contents) {
    repeat(*content);
    contenders.push_back(chosen(*content, mode));
    all.push_back({*content, *contenders.back()});
  }
  Measurement(std::move(all)).run(repetitions);
}

void run(std::span<const char* const> arguments) {
  require(!arguments.empty(), "a command is missing");
  const std::string command = arguments[0];
  if (command == "allocator") return print_allocator();
  const std::size_t own = command == "measure" ? 3 : 2;  // the words before the contents
  require(arguments.size() > own, "a content is missing");
  std::vector<std::unique_ptr<Messages>> contents;
  for (const char* path : arguments.subspan(own)) contents.push_back(loaded(path));
  const Messages& first = *contents.front();
  if (command == "verify") {
    for (const auto& one : first.contenders()) verify(*one, first, arguments[1]);
  } else if (command == "count") {
    count(*chosen(first, arguments[1]), first.size());
  } else if (command == "memory") {
    memory(*chosen(first, arguments[1]));
  } else {
    require(command == "measure", "its command is not known");
    print_allocator();
    measure(contents, std::strtoull(arguments[1], nullptr, 10), arguments[2]);
  }
}

}  // namespace
}  // namespace message_bench

int main(int argc, char** argv) {
  try {
    message_bench::run(std::vector<const char*>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
