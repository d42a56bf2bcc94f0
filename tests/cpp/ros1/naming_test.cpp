// SPDX-License-Identifier: Apache-2.0
// Topics are found as long as anything in a thread may publish.
#include "wirecost/hooks/ros1/naming.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

namespace {

using wirecost::ros1::Publication;
using wirecost::ros1::publication;

Publication while_running, at_the_end;

struct PublishesAtTheEnd {
  const std::string* topic = nullptr;
  ~PublishesAtTheEnd() {
    if (topic == nullptr) return;
    for (int i = 0; i < 100; ++i) publication("/other" + std::to_string(i));
    at_the_end = publication(*topic);
  }
};

TEST(Publication, IsFoundAtTheEndOfAThread) {
  const std::string topic = "/a/topic/that/is/on/the/heap";
  std::thread([&] {
    // Made before the table of topics, and so destroyed behind it.
    thread_local PublishesAtTheEnd publishes;
    publishes.topic = &topic;
    while_running = publication(topic);
  }).join();
  EXPECT_NE(while_running.section, 0U);
  EXPECT_EQ(at_the_end.section, while_running.section);
  EXPECT_EQ(at_the_end.topic_hash, while_running.topic_hash);
  EXPECT_EQ(publication(topic).section, while_running.section);
}

}  // namespace
