// SPDX-License-Identifier: Apache-2.0
// The sizes that the notification has on every wire, to the byte.
#include <gtest/gtest.h>

#include "compile/codecs.hpp"
#include "rsb/protocol/notification.protobuf.hpp"
#include "rsb/protocol/notification.ros1.hpp"
#include "rsb_msgs/notification.cdr.hpp"

namespace {

using namespace wirecost::test;

WIRECOST_CODEC(Protobuf, ::wire::rsb::protocol, Notification, protobuf);
WIRECOST_CODEC(Ros1, ::wire::rsb::protocol, Notification, ros1);
WIRECOST_CODEC(Cdr, ::wire::rsb_msgs, Notification, cdr);

// Seven texts of that many bytes and small numbers.
template <class Notification>
void fill(Notification& m, std::size_t size) {
  const std::string text(size, 'x');
  m.event_id.sender_id = m.scope = m.wire_schema = m.data = text;
  m.event_id.sequence_number = 1;
}

struct Sizes {
  std::size_t factor, protobuf, ros1, cdr;
};

class NotificationSizes : public testing::TestWithParam<Sizes> {};

TEST_P(NotificationSizes, AreTheKnownOnes) {
  const Sizes sizes = GetParam();
  const std::string text(sizes.factor, 'x');

  wire::rsb::protocol::Notification message;
  fill(message, sizes.factor);
  message.method.emplace() = text;
  auto& meta = message.meta_data.emplace();
  meta.create_time = 2;
  meta.send_time = 3;
  auto& info = meta.user_infos.emplace_back();
  info.key = info.value = text;
  EXPECT_EQ(encoded<Protobuf>(message).size(), sizes.protobuf);
  EXPECT_EQ(encoded<Ros1>(message).size(), sizes.ros1);
  EXPECT_EQ(decoded<Protobuf>(encoded<Protobuf>(message)), message);

  wire::rsb_msgs::Notification ros;
  fill(ros, sizes.factor);
  ros.method = text;
  auto& ros_info = ros.meta_data.user_infos.emplace_back();
  ros_info.key = ros_info.value = text;
  EXPECT_EQ(encoded<Cdr>(ros).size(), sizes.cdr);
  EXPECT_EQ(decoded<Cdr>(encoded<Cdr>(ros)), ros);
}

INSTANTIATE_TEST_SUITE_P(Factors, NotificationSizes,
                         testing::Values(Sizes{4, 55, 104, 137}, Sizes{8, 83, 132, 161},
                                         Sizes{16, 139, 188, 217}, Sizes{32, 251, 300, 329},
                                         Sizes{64, 477, 524, 553}, Sizes{128, 933, 972, 1001}));

}  // namespace
