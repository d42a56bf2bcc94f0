// SPDX-License-Identifier: Apache-2.0
// The C++ side of `wirecost bench notification`; its driver is Python and reads standard output.
//   built     compiler and flags
//   allocator the files in which its malloc and free lie
//   list      contenders, a line each: name, mode, wire, library, guarantees
//   content   the messages, a canonical line each
//   verify    every message of every contender: its bytes and what was decoded of them
//   measure   the allocator; samples: contender, repetition, stage, nanoseconds per message; in the
//             end the sums of what each read
//   count     allocations a message, and what callgrind counts between its dumps
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "bench/allocations.hpp"
#include "bench/allocator.hpp"
#include "bench/notification/altered.hpp"
#include "bench/notification/canonical.hpp"
#include "bench/notification/contenders.hpp"
#include "bench/notification/loopback.hpp"
#include "bench/notification/request.hpp"
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace wirecost::bench {

/// What a program has beside them: cheats, in a test's.
[[gnu::weak]] void add_others(Contenders& all);

namespace {

using Clock = std::chrono::steady_clock;

constexpr double least_sample_ns = 100'000;  // a sample of fewer would measure the clock
constexpr int warm_runs = 3;

Contenders all_contenders() {
  Contenders all;
  add_google_protobuf(all);
  plain::add_wirecost_protobuf(all);
  recycled::add_wirecost_protobuf(all);
  add_wirecost_facade(all);
  plain::add_wirecost_ros1(all);
  recycled::add_wirecost_ros1(all);
  plain::add_wirecost_cdr(all);
  recycled::add_wirecost_cdr(all);
  add_hand_written(all);
  add_memcpy(all);
#ifdef WIRECOST_HAS_GENCPP
  add_gencpp(all);
#endif
#ifdef WIRECOST_HAS_FAST_CDR
  add_fast_cdr(all);
#endif
  if (add_others != nullptr) add_others(all);
  return all;
}

std::string key(const Contender& contender) {
  const About& about = contender.about();
  return about.name + "/" + about.mode + "/" + about.wire;
}

/// In the order in which they are asked for.
Contenders chosen(const Request& request) {
  Contenders all = all_contenders();
  if (request.contenders.empty()) return all;
  Contenders ordered;
  for (const std::string& wanted : request.contenders) {
    const auto one = std::ranges::find(all, wanted, [](const auto& o) { return o ? key(*o) : ""; });
    if (one == all.end()) throw std::invalid_argument("contender " + wanted + " is not known");
    ordered.push_back(std::move(*one));
  }
  return ordered;
}

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

void list(const Contenders& contenders) {
  for (const auto& one : contenders) {
    const About& about = one->about();
    std::printf("%s\t%s\t%s\t%s\t%s\n", about.name.c_str(), about.mode.c_str(), about.wire.c_str(),
                about.library.c_str(), about.guarantees.c_str());
  }
}

void verify(const Contenders& contenders, std::span<const NotificationValue> values) {
  for (const auto& one : contenders) {
    one->load(values);
    // Twice: reused objects must not carry anything over, unwritten bytes must show.
    for (const int fill : {0xA5, 0x5A}) {
      one->poison(static_cast<std::byte>(fill));
      for (int stage = 0; stage < Stage::destroy; ++stage) one->run(static_cast<Stage>(stage));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::span<const std::byte> bytes = one->encoded(i);
        std::printf("%s\t%zu\t%s\t%s\n", key(*one).c_str(), i,
                    hex(bytes.data(), bytes.size()).c_str(), canonical(one->decoded(i)).c_str());
      }
      one->run(Stage::destroy);
    }
  }
}

/// The messages that all contenders carry. No two passes have the same, and how many a pass has
/// is not foreseen: what is looked at afterwards is the last one.
class Messages {
 public:
  explicit Messages(std::span<const NotificationValue> values)
      : values_(values.begin(), values.end()) {}

  std::span<const NotificationValue> all() const { return values_; }
  std::size_t size() const { return values_.size(); }

  /// Others than before; how many of them come next.
  std::size_t next() {
    alter(values_, random_);
    return size() - random_() % (size() / 2 + 1);
  }

 private:
  std::vector<NotificationValue> values_;
  std::mt19937_64 random_{std::random_device{}()};
};

/// A contender and how many times it goes through the batch for one sample.
struct Entry {
  Contender* contender;
  std::size_t passes = 1;
  bool read_all = true;

  bool is_floor() const { return contender->last().empty(); }
  void check_sum(std::span<const NotificationValue> read) {
    if (!is_floor()) read_all &= contender->take_sum() == sum_of(read);
  }
};

/// A message as it was sent while it was timed, for an independent reader.
void print_sent(const Entry& entry, std::size_t repetition, std::span<const std::byte> bytes,
                const NotificationValue& value) {
  if (entry.is_floor()) return;
  std::printf("%s\t%zu\tsent\t%s\t%s\n", key(*entry.contender).c_str(), repetition,
              hex(bytes.data(), bytes.size()).c_str(), canonical(value).c_str());
}

void measure_total(Entry& entry, Messages& messages, std::size_t repetition) {
  entry.contender->run_total(messages.size());
  entry.contender->take_sum();
  double ns = 0;
  std::size_t carried = 0, count = 0;
  for (std::size_t pass = 0; pass < entry.passes; ++pass) {
    carried += count = messages.next();
    const Clock::time_point begin = Clock::now();
    entry.contender->run_total(count);
    ns += nanoseconds(Clock::now() - begin);
    entry.check_sum(messages.all().first(count));
  }
  print_sent(entry, repetition, entry.contender->last(), messages.all()[count - 1]);
  std::printf("%s\t%zu\ttotal\t%.3f\n", key(*entry.contender).c_str(), repetition,
              ns / static_cast<double>(carried));
}

void measure_stages(Entry& entry, Messages& messages, std::size_t repetition) {
  double ns[stages] = {};
  for (std::size_t pass = 0; pass <= entry.passes; ++pass) {
    const std::size_t looked_at = messages.next() - 1;
    for (int stage = 0; stage < stages; ++stage) {
      const Clock::time_point begin = Clock::now();
      entry.contender->run(static_cast<Stage>(stage));
      const double taken = nanoseconds(Clock::now() - begin);
      if (pass != 0) ns[stage] += taken;  // the first one warms
    }
    entry.check_sum(messages.all());
    if (pass == entry.passes)
      print_sent(entry, repetition, entry.contender->encoded(looked_at), messages.all()[looked_at]);
  }
  for (int stage = 0; stage < stages; ++stage)
    std::printf("%s\t%zu\t%s\t%.3f\n", key(*entry.contender).c_str(), repetition,
                stage_names[stage],
                ns[stage] / static_cast<double>(messages.size() * entry.passes));
}

/// Over a socket, one system call per message and direction; the receiver distinguishes the wires.
void measure_move(const Entry& entry, Loopback& loopback, std::size_t messages,
                  std::size_t repetition) {
  const Wire wire = wire_of(entry.contender->about().wire);
  for (int stage = 0; stage <= Stage::encode; ++stage)
    entry.contender->run(static_cast<Stage>(stage));
  const Clock::time_point begin = Clock::now();
  for (std::size_t i = 0; i < messages; ++i) {
    const std::span<const std::byte> sent = entry.contender->encoded(i);
    loopback.send(wire, sent);
    const Frame frame = loopback.receive();
    if (frame.wire != wire || !std::ranges::equal(frame.message, sent))
      throw std::runtime_error("what came out of the socket is not what went in");
  }
  const double ns = nanoseconds(Clock::now() - begin);
  entry.contender->run(Stage::decode);
  entry.contender->run(Stage::destroy);
  std::printf("%s\t%zu\tmove\t%.3f\n", key(*entry.contender).c_str(), repetition,
              ns / static_cast<double>(messages));
}

void measure(const Contenders& contenders, std::span<const NotificationValue> values,
             std::size_t repetitions) {
  Messages messages(values);
  std::vector<Entry> entries;
  Loopback loopback;
  for (const auto& one : contenders) {
    one->load(messages.all());
    for (int i = 0; i < warm_runs; ++i) one->run_total(messages.size());
    const Clock::time_point begin = Clock::now();
    one->run_total(messages.size());
    const double ns = std::max(nanoseconds(Clock::now() - begin), 1.0);
    entries.push_back({one.get(), static_cast<std::size_t>(least_sample_ns / ns) + 1});
  }
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (Entry& entry : entries) measure_total(entry, messages, repetition);
    for (Entry& entry : entries) measure_stages(entry, messages, repetition);
    for (const Entry& entry : entries) measure_move(entry, loopback, messages.size(), repetition);
    std::fflush(stdout);
  }
  // Whether each read, whenever it was timed, what there was to read.
  std::printf("all\t0\tsum\t1\n");
  for (const Entry& entry : entries)
    std::printf("%s\t0\tsum\t%d\n", key(*entry.contender).c_str(), entry.read_all ? 1 : 0);
}

void count(const Contenders& contenders, std::span<const NotificationValue> values) {
  for (const auto& one : contenders) {
    one->load(values);
    for (int i = 0; i < warm_runs; ++i) one->run_total(values.size());
    const std::string name = key(*one);  // callgrind reads it later
    const std::uint64_t before = allocations();
    CALLGRIND_TOGGLE_COLLECT;
    one->run_total(values.size());
    CALLGRIND_TOGGLE_COLLECT;
    const std::uint64_t made = allocations() - before;
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    std::printf("%s\t%.3f\n", name.c_str(),
                static_cast<double>(made) / static_cast<double>(values.size()));
  }
}

void run(const Request& request) {
  const std::vector<NotificationValue> values = request.values();
  const Contenders contenders = chosen(request);
  if (request.command == "built") {
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  } else if (request.command == "allocator") {
    print_allocator();
  } else if (request.command == "list") {
    list(contenders);
  } else if (request.command == "content") {
    for (const NotificationValue& value : values) std::printf("%s\n", canonical(value).c_str());
  } else if (request.command == "verify") {
    verify(contenders, values);
  } else if (request.command == "measure") {
    print_allocator();
    measure(contenders, values, request.repetitions);
  } else if (request.command == "count") {
    count(contenders, values);
  } else {
    throw std::invalid_argument("command " + request.command + " is not known");
  }
}

}  // namespace
}  // namespace wirecost::bench

int main(int argc, char** argv) {
  try {
    wirecost::bench::run(wirecost::bench::Request::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "notification: %s\n", error.what());
    return 2;
  }
}
