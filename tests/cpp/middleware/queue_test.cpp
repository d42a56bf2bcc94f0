// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/queue.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace wirecost::middleware;
using namespace std::chrono_literals;

Message message(std::uint32_t channel, std::size_t size, int value = 0) {
  Message made{.channel = channel,
               .received = {},
               .source_ns = value,
               .bytes = std::make_unique<std::byte[]>(size),
               .size = size};
  std::memset(made.bytes.get(), value, size);
  return made;
}

TEST(Queue, GivesWhatEveryThreadPutInItsOrder) {
  constexpr int threads = 4, each = 2000;
  Queue queue(1U << 30);
  std::vector<std::jthread> senders;
  for (int thread = 0; thread < threads; ++thread) {
    senders.emplace_back([&queue, thread] {
      for (int i = 0; i < each; ++i) EXPECT_TRUE(queue.put(message(thread, 8, i)));
    });
  }
  std::map<std::uint32_t, int> next;
  for (int taken = 0; taken < threads * each;) {
    const auto messages = queue.take(100, 10s);
    ASSERT_FALSE(messages.empty());
    ASSERT_LE(messages.size(), 100U);
    for (const Message& got : messages) {
      ASSERT_EQ(got.source_ns, next[got.channel]++);
      ASSERT_EQ(got.bytes[7], static_cast<std::byte>(got.source_ns));
    }
    taken += static_cast<int>(messages.size());
  }
  EXPECT_TRUE(queue.take(1, 0s).empty());
  EXPECT_EQ(queue.counts().at(threads - 1).received, std::uint64_t{each});
}

TEST(Queue, DropsAndCountsWhatDoesNotFit) {
  Queue queue(1000);
  EXPECT_TRUE(queue.put(message(1, 500)));
  EXPECT_FALSE(queue.put(message(2, 500)));
  EXPECT_FALSE(queue.put(message(2, 2000)));
  EXPECT_EQ(queue.take(10, 0s).size(), 1U);
  Message last = message(2, 500);
  last.missed = 4;
  EXPECT_TRUE(queue.put(std::move(last)));
  EXPECT_EQ(queue.take(10, 0s).at(0).missed, 6U);
  EXPECT_TRUE(queue.put(message(2, 0)));
  EXPECT_EQ(queue.take(10, 0s).at(0).missed, 0U);
  const Queue::Count count = queue.counts().at(2);
  EXPECT_EQ(count.received, 4U);
  EXPECT_EQ(count.dropped, 2U);
  EXPECT_EQ(count.bytes, 3000U);
}

TEST(Queue, BoundsEmptyMessagesToo) {
  Queue queue(10'000);
  std::size_t fitted = 0;
  for (int i = 0; i < 10'000; ++i) fitted += queue.put(message(1, 0)) ? 1 : 0;
  EXPECT_GT(fitted, 0U);
  EXPECT_LT(fitted, 1000U);
}

}  // namespace
