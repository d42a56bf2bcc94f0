// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/player.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "wirecost/middleware/clock.hpp"

namespace {

using namespace wirecost::middleware;

const std::function<bool()> patiently = [] { return true; };

struct Kept final : Sink {
  void prepare(std::size_t max_bytes) override { prepared = max_bytes; }
  void send(std::span<const std::byte> message) override {
    messages.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
    cpus.push_back(sched_getcpu());
    policy = sched_getscheduler(0);
    ++number;
  }
  std::size_t readers() override { return 1; }

  std::atomic<std::size_t> number = 0;
  std::size_t prepared = 0;
  std::vector<std::string> messages;
  std::vector<int> cpus;
  int policy = -1;
};

struct Broken final : Sink {
  void send(std::span<const std::byte>) override { throw std::length_error("too long"); }
  std::size_t readers() override { return 1; }
};

/// Takes a message in so many short whiles, the reader's side being full in every other one.
struct Stepwise final : Sink {
  Stepwise(std::vector<std::string>& log, int steps) : log(log), steps(steps) {}
  void send(std::span<const std::byte>) override { log.emplace_back("never"); }
  Progress begin(std::span<const std::byte>) override {
    log.emplace_back("begin");
    left = steps;
    return Progress::some;
  }
  Progress resume() override {
    if (--left > 0) return left % 2 == 0 ? Progress::none : Progress::some;
    log.emplace_back("end");
    return Progress::all;
  }
  std::size_t readers() override { return 1; }

  std::vector<std::string>& log;
  int steps, left = 0;
};

struct Logging final : Sink {
  explicit Logging(std::vector<std::string>& log) : log(log) {}
  void send(std::span<const std::byte>) override { log.emplace_back("small"); }
  std::size_t readers() override { return 1; }

  std::vector<std::string>& log;
};

/// Message i is i times its own digit, 2 ms after the one before, to the sinks in turn.
struct Recording {
  explicit Recording(std::size_t count, std::size_t sinks = 2) {
    for (std::size_t i = 0; i < count; ++i) texts.emplace_back(i * 100, static_cast<char>('0' + i));
    for (std::size_t i = 0; i < count; ++i)
      messages.push_back({static_cast<std::int64_t>(i) * 2'000'000 + 77, i % sinks,
                          std::as_bytes(std::span(texts[i]))});
  }
  std::vector<std::string> texts;
  std::vector<PlayedMessage> messages;
};

TEST(Player, SendsEachMessageToItsSinkNotBeforeItIsDue) {
  const Recording recording(10);
  Player player(recording.messages, false);
  Kept even, odd;
  Sink* const sinks[] = {&even, &odd};
  const std::int64_t origin = now_ns(CLOCK_MONOTONIC) + 3'000'000;
  const auto sent = player.play(
      sinks, {.rate = 2, .first = 2, .last = 9, .origin_ns = origin, .spin_ns = 100'000}, {},
      patiently);
  ASSERT_EQ(sent.size(), 7U);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i].due_ns, origin + static_cast<std::int64_t>(i) * 1'000'000);
    EXPECT_GE(sent[i].before_ns, sent[i].due_ns);
    EXPECT_GE(sent[i].after_ns, sent[i].before_ns);
  }
  const auto& texts = recording.texts;
  EXPECT_EQ(even.messages, (std::vector{texts[2], texts[4], texts[6], texts[8]}));
  EXPECT_EQ(odd.messages, (std::vector{texts[3], texts[5], texts[7]}));
  EXPECT_EQ(even.prepared, 800U);
}

TEST(Player, KeepsItsOwnCopy) {
  Kept kept;
  Sink* const sink = &kept;
  std::optional<Player> player;
  {
    const Recording recording(5, 1);
    player.emplace(recording.messages, true);
  }
  player->play({&sink, 1}, {.last = 5}, {}, patiently);
  EXPECT_EQ(kept.messages, Recording(5).texts);
}

TEST(Player, SendsAtOnceWhereTheRateIsInfinite) {
  const Recording recording(5, 1);
  Player player(recording.messages, false);
  Kept kept;
  Sink* const sink = &kept;
  const auto sent = player.play(
      {&sink, 1}, {.rate = std::numeric_limits<double>::infinity(), .last = 5}, {}, patiently);
  ASSERT_EQ(sent.size(), 5U);
  EXPECT_EQ(sent.front().due_ns, sent.back().due_ns);
}

TEST(Player, SendsToOthersWhileALargeMessageIsUnfinished) {
  std::vector<std::string> log;
  Stepwise large(log, 300);
  Logging small(log);
  Sink* const sinks[] = {&large, &small};
  const PlayedMessage messages[] = {{0, 0, {}}, {0, 1, {}}, {1'000'000, 1, {}}};
  Player player(messages, false);
  const auto sent = player.play(sinks, {.last = 3}, {}, patiently);
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "small", "small", "end"}));
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_GE(sent[0].after_ns, sent[2].after_ns);
  EXPECT_LE(sent[1].ready_ns, sent[1].before_ns);
}

TEST(Player, SendsNothingElseToASinkThatIsUnfinished) {
  std::vector<std::string> log;
  Stepwise large(log, 20);
  Sink* const sink = &large;
  const PlayedMessage messages[] = {{0, 0, {}}, {0, 0, {}}};
  Player player(messages, false);
  EXPECT_EQ(player.play({&sink, 1}, {.last = 2}, {}, patiently).size(), 2U);
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "end", "begin", "end"}));
}

TEST(Player, IsStoppedWhileItWaits) {
  const PlayedMessage messages[] = {{0, 0, {}}, {INT64_MAX, 0, {}}};
  Player player(messages, false);
  Kept kept;
  Sink* const sink = &kept;
  {
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      player.stop();
    });
    EXPECT_EQ(player.play({&sink, 1}, {.last = 2}, {}, patiently).size(), 1U);
  }
  const auto waiting = [&] { return kept.number < 2; };
  EXPECT_EQ(player.play({&sink, 1}, {.last = 2}, {}, waiting).size(), 1U);
  EXPECT_EQ(kept.messages.size(), 2U);
}

TEST(Player, SurvivesTimesAsFarApartAsTheyGo) {
  const PlayedMessage messages[] = {{INT64_MIN, 0, {}}, {INT64_MAX, 0, {}}};
  Player player(messages, false);
  Kept kept;
  Sink* const sink = &kept;
  const auto waiting = [&] { return kept.number < 1; };
  EXPECT_EQ(player.play({&sink, 1}, {.rate = 1e-300, .last = 2}, {}, waiting).size(), 1U);
}

TEST(Player, RunsOnTheCpuItIsGiven) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) last = cpu;
  const Recording recording(5, 1);
  Player player(recording.messages, false);
  Kept kept;
  Sink* const sink = &kept;
  player.play({&sink, 1}, {.last = 5}, {.cpu = last}, patiently);
  EXPECT_EQ(kept.cpus, std::vector(5, last));
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &after));
}

TEST(Player, RunsWithFifoPriorityOrSaysWhyNot) {
  const Recording recording(2, 1);
  Player player(recording.messages, false);
  Kept kept;
  Sink* const sink = &kept;
  try {
    player.play({&sink, 1}, {.last = 2}, {.fifo_priority = 5}, patiently);
    EXPECT_EQ(kept.policy, SCHED_FIFO);
  } catch (const std::system_error& refused) {
    EXPECT_EQ(refused.code(), std::errc::operation_not_permitted);
    EXPECT_NE(std::string(refused.what()).find("SCHED_FIFO priority 5"), std::string::npos);
  }
  EXPECT_THROW(player.play({&sink, 1}, {.last = 2}, {.fifo_priority = 1000}, patiently),
               std::system_error);
  EXPECT_THROW(player.play({&sink, 1}, {.last = 2}, {.cpu = -1}, patiently), std::system_error);
}

TEST(Player, RefusesSchedulesThatDoNotFit) {
  const Recording recording(3);
  Player player(recording.messages, false);
  Kept kept;
  Sink* const sink = &kept;
  const std::span<Sink* const> one(&sink, 1);
  for (const Schedule& wrong :
       {Schedule{.rate = 0, .last = 1}, Schedule{.rate = std::nan(""), .last = 1},
        Schedule{.last = 4}, Schedule{.first = 2, .last = 1}, Schedule{.last = 1, .spin_ns = -1},
        Schedule{.last = 2}})
    EXPECT_THROW(player.play(one, wrong, {}, patiently), std::invalid_argument);
  EXPECT_TRUE(kept.messages.empty());
  std::vector<PlayedMessage> disordered = recording.messages;
  std::swap(disordered[0], disordered[1]);
  EXPECT_THROW(Player(disordered, false), std::invalid_argument);
}

TEST(Player, HandsOnWhatASinkThrows) {
  const Recording recording(2, 1);
  Player player(recording.messages, false);
  Broken broken;
  Sink* const sink = &broken;
  EXPECT_THROW(player.play({&sink, 1}, {.last = 2}, {}, patiently), std::length_error);
}

TEST(Player, PlaysNothing) {
  Player player({}, true);
  EXPECT_EQ(player.size(), 0U);
  EXPECT_TRUE(player.play({}, {}, {}, patiently).empty());
}

}  // namespace
