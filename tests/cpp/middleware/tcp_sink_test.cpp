// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/tcp/sink.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "sockets.hpp"

namespace {

using namespace middleware_tests;
using namespace std::chrono_literals;
using wirecost::middleware::Progress;
using wirecost::middleware::TcpSink;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(TcpSink, SendsFramesToAllReaders) {
  TcpSink sink(false, 10s);
  auto [first, first_there] = connected();
  auto [second, second_there] = connected();
  sink.add(std::move(first_there));
  sink.add(std::move(second_there));
  EXPECT_EQ(sink.readers(), 2U);
  // More than a socket holds, so that it is sent in pieces.
  const std::string large(3'000'000, 'y');
  const std::string all = framed("one") + framed("") + framed(large);
  std::string got_first, got_second;
  {
    const std::jthread reader([&] { got_first = read_bytes(first, all.size()); });
    const std::jthread other([&] { got_second = read_bytes(second, all.size()); });
    sink.send(bytes("one"));
    sink.send({});
    sink.send(bytes(large));
  }
  EXPECT_TRUE(got_first == all);
  EXPECT_TRUE(got_second == all);
}

TEST(TcpSink, GivesTheLastMessageToLateReadersWhereLatched) {
  for (const bool latched : {false, true}) {
    TcpSink sink(latched, 10s);
    sink.prepare(100);
    sink.send(bytes("older"));
    sink.send(bytes("last"));
    auto [mine, theirs] = connected();
    sink.add(std::move(theirs));
    sink.send(bytes("next"));
    const std::string expected = latched ? framed("last") + framed("next") : framed("next");
    EXPECT_EQ(read_bytes(mine, expected.size()), expected);
  }
}

TEST(TcpSink, GivesNothingToReadersOfALatchedSinkThatSentNothing) {
  TcpSink sink(true, 10s);
  sink.prepare(100);
  auto [mine, theirs] = connected();
  sink.add(std::move(theirs));
  sink.send(bytes("first"));
  EXPECT_EQ(read_bytes(mine, 9), framed("first"));
}

TEST(TcpSink, DropsAReaderThatDoesNotReadAndServesTheOther) {
  TcpSink sink(false, 1s);
  auto [dead, dead_there] = connected();
  auto [live, live_there] = connected();
  sink.add(std::move(dead_there));
  sink.add(std::move(live_there));
  const std::string large(3'000'000, 'z');
  std::string got;
  {
    const std::jthread reader([&] { got = read_bytes(live, 2 * (large.size() + 4)); });
    sink.send(bytes(large));
    EXPECT_EQ(sink.readers(), 1U);
    EXPECT_EQ(sink.dropped(), 1U);
    sink.send(bytes(large));
  }
  EXPECT_TRUE(got == framed(large) + framed(large));
}

TEST(TcpSink, ForgetsReadersThatLeft) {
  TcpSink sink(false, 10s);
  {
    auto [mine, theirs] = connected();
    sink.add(std::move(theirs));
    EXPECT_EQ(sink.readers(), 1U);
  }
  EXPECT_EQ(sink.readers(), 0U);
  {
    auto [mine, theirs] = connected();
    sink.add(std::move(theirs));
  }
  // A write to it would raise SIGPIPE.
  sink.send(bytes("nobody"));
  EXPECT_EQ(sink.readers(), 0U);
  EXPECT_EQ(sink.dropped(), 0U);
}

TEST(TcpSink, SendsALargeMessageInShortWhiles) {
  for (const bool latched : {false, true}) {
    TcpSink sink(latched, 10s);
    auto [mine, theirs] = connected();
    sink.add(std::move(theirs));
    const std::string large(3'000'000, 'w');
    Progress progress = sink.begin(bytes(large));
    EXPECT_EQ(progress, Progress::some);
    while (progress == Progress::some) progress = sink.resume();
    // Nobody reads: the socket is full.
    ASSERT_EQ(progress, Progress::none);
    auto [late, late_there] = connected();
    sink.add(std::move(late_there));
    std::string got, got_late;
    const std::string first_late = latched ? framed(large) + framed("next") : framed("next");
    {
      const std::jthread reader([&] { got = read_bytes(mine, large.size() + 12); });
      const std::jthread other([&] { got_late = read_bytes(late, first_late.size()); });
      while (progress != Progress::all) progress = sink.resume();
      EXPECT_EQ(sink.begin(bytes("next")), Progress::all);
      EXPECT_EQ(sink.resume(), Progress::all);
    }
    EXPECT_TRUE(got == framed(large) + framed("next"));
    EXPECT_TRUE(got_late == first_late);
  }
}

TEST(TcpSink, FinishesWhatWasBegunBeforeItSendsAnother) {
  TcpSink sink(false, 10s);
  auto [mine, theirs] = connected();
  sink.add(std::move(theirs));
  const std::string large(3'000'000, 'v');
  std::string got;
  {
    const std::jthread reader([&] { got = read_bytes(mine, large.size() + 12); });
    EXPECT_EQ(sink.begin(bytes(large)), Progress::some);
    sink.send(bytes("next"));
  }
  EXPECT_TRUE(got == framed(large) + framed("next"));
}

TEST(TcpSink, DropsAReaderThatDoesNotReadWhatWasBegun) {
  TcpSink sink(false, 0s);
  auto [mine, theirs] = connected();
  sink.add(std::move(theirs));
  const std::string large(3'000'000, 'u');
  Progress progress = sink.begin(bytes(large));
  while (progress != Progress::all) progress = sink.resume();
  EXPECT_EQ(sink.readers(), 0U);
  EXPECT_EQ(sink.dropped(), 1U);
}

TEST(TcpSink, TakesReadersWhileSending) {
  TcpSink sink(true, 10s);
  std::atomic<bool> done = false;
  std::jthread sender([&] {
    while (!done) sink.send(bytes("tick"));
  });
  for (int i = 0; i < 50; ++i) {
    auto [mine, theirs] = connected();
    sink.add(std::move(theirs));
    EXPECT_EQ(read_bytes(mine, 16), framed("tick") + framed("tick"));
    static_cast<void>(sink.readers());
  }
  done = true;
}

}  // namespace
