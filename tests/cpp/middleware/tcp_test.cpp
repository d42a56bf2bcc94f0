// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/tcp/receiver.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sockets.hpp"

namespace {

using namespace middleware_tests;
using namespace std::chrono_literals;
using wirecost::middleware::Message;
using wirecost::middleware::Queue;
using wirecost::middleware::TcpReceiver;

constexpr std::size_t limit = 5'000'000;

std::string_view text(const Message& message) {
  return {reinterpret_cast<const char*>(message.bytes.get()), message.size};
}

std::vector<Message> take(Queue& queue, std::size_t count) {
  std::vector<Message> all;
  while (all.size() < count) {
    auto some = queue.take(count - all.size(), 10s);
    if (some.empty()) break;
    for (Message& each : some) all.push_back(std::move(each));
  }
  return all;
}

std::vector<TcpReceiver::Ended> wait_for_end(TcpReceiver& tcp) {
  for (int i = 0; i < 10'000; ++i) {
    auto ended = tcp.ended();
    if (!ended.empty()) return ended;
    std::this_thread::sleep_for(1ms);
  }
  return {};
}

TEST(TcpReceiver, ReadsFramesHoweverTheyAreCut) {
  std::mt19937 random(3);
  Queue queue(1U << 28);
  TcpReceiver tcp(queue, limit);
  auto [mine, theirs] = connected();
  tcp.add(std::move(theirs), 9);
  std::vector<std::string> messages;
  std::string stream;
  for (const std::size_t size : {0, 1, 3, 4, 100, 0, 70'000, 300'000, 5, 2'000'000, 0, 262'140}) {
    std::string message(size, '\0');
    for (char& each : message) each = static_cast<char>(random());
    stream += framed(message);
    messages.push_back(std::move(message));
  }
  const std::jthread sender([&] {
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = at < 400 || random() % 4 == 0 ? 1 + random() % 3 : random() % 90'000;
      ASSERT_TRUE(write_all(mine, stream.substr(at, size)));
      at += size;
    }
  });
  const auto got = take(queue, messages.size());
  ASSERT_EQ(got.size(), messages.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(text(got[i]), messages[i]) << i;
    EXPECT_EQ(got[i].channel, 9U);
  }
  for (std::size_t i = 1; i < got.size(); ++i)
    EXPECT_GE(got[i].received.monotonic, got[i - 1].received.monotonic);
  EXPECT_GT(got[0].received.realtime, got[0].received.monotonic);
}

TEST(TcpReceiver, EndsAPeerThatAnnouncesTooMuch) {
  Queue queue(1U << 20);
  TcpReceiver tcp(queue, limit);
  auto [mine, theirs] = connected();
  const int number = theirs.get();
  tcp.add(std::move(theirs), 4);
  write_all(mine, framed("fine") + std::string(4, '\xff') + "rest");
  const auto ended = wait_for_end(tcp);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].channel, 4U);
  EXPECT_EQ(ended[0].descriptor, number);
  EXPECT_EQ(ended[0].reason,
            "announced a message of 4294967295 bytes; at most 5000000 are accepted");
  EXPECT_EQ(read_bytes(mine, 1), "");
  EXPECT_EQ(take(queue, 1).size(), 1U);
}

TEST(TcpReceiver, TellsAnEndOnceAndKeepsItsNumberUntilThen) {
  Queue queue(1U << 20);
  TcpReceiver tcp(queue, limit);
  int number = -1;
  {
    auto [mine, theirs] = connected();
    number = theirs.get();
    tcp.add(std::move(theirs), 1);
    write_all(mine, std::string(4, '\x01') + "cut short");
  }
  const Descriptor other = connected().first;
  EXPECT_NE(other.get(), number);
  const auto ended = wait_for_end(tcp);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].descriptor, number);
  EXPECT_TRUE(tcp.ended().empty());
  EXPECT_TRUE(queue.counts().empty());
}

TEST(TcpReceiver, LetsASlowPeerDelayNobody) {
  Queue queue(1U << 20);
  TcpReceiver tcp(queue, limit);
  auto [slow, slow_there] = connected();
  auto [quick, quick_there] = connected();
  tcp.add(std::move(slow_there), 1);
  tcp.add(std::move(quick_there), 2);
  write_all(slow, framed("never finished").substr(0, 7));
  for (int i = 0; i < 100; ++i) write_all(quick, framed("quick"));
  const auto got = take(queue, 100);
  ASSERT_EQ(got.size(), 100U);
  for (const Message& each : got) EXPECT_EQ(each.channel, 2U);
}

TEST(TcpReceiver, TakesConnectionsWhileReadingAndClosesThem) {
  Queue queue(1U << 24);
  TcpReceiver tcp(queue, limit);
  std::vector<std::jthread> peers;
  for (std::uint32_t channel = 0; channel < 8; ++channel) {
    peers.emplace_back([&, channel] {
      auto [mine, theirs] = connected();
      tcp.add(std::move(theirs), channel);
      for (int i = 0; i < 50; ++i) write_all(mine, framed(std::string(1000, 'x')));
    });
  }
  EXPECT_EQ(take(queue, 400).size(), 400U);
  auto [mine, theirs] = connected();
  tcp.add(std::move(theirs), 1);
  tcp.close();
  EXPECT_EQ(read_bytes(mine, 1), "");
  auto [late, late_there] = connected();
  tcp.add(std::move(late_there), 1);
  EXPECT_EQ(read_bytes(late, 1), "");
}

TEST(TcpReceiver, RefusesWhatIsNoSocket) {
  Queue queue(1000);
  TcpReceiver tcp(queue, limit);
  EXPECT_THROW(tcp.add(Descriptor(-1), 1), std::system_error);
}

}  // namespace
