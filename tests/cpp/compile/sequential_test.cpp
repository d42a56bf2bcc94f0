// SPDX-License-Identifier: Apache-2.0
// The wires that write every field in order: errors, limits and storage.
#include <gtest/gtest.h>

#include <algorithm>

#include "bounds_msgs/bounded.cdr.hpp"
#include "bounds_msgs/bounded.ros1.hpp"
#include "bounds_msgs/track.cdr.hpp"
#include "bounds_msgs/track.ros1.hpp"
#include "compile/allocations.hpp"
#include "compile/codecs.hpp"
#include "empties/empties.cdr.hpp"
#include "empties/empties.ros1.hpp"
#include "rsb/protocol/notification.cdr.hpp"
#include "rsb/protocol/notification.ros1.hpp"

namespace {

using namespace wirecost::test;
using wirecost::Error;
using wirecost::Reason;

WIRECOST_CODEC(NotificationRos1, ::wire::rsb::protocol, Notification, ros1);
WIRECOST_CODEC(NotificationCdr, ::wire::rsb::protocol, Notification, cdr);
WIRECOST_CODEC(BoundedRos1, ::wire::bounds_msgs, Bounded, ros1);
WIRECOST_CODEC(BoundedCdr, ::wire::bounds_msgs, Bounded, cdr);
WIRECOST_CODEC(TrackRos1, ::wire::bounds_msgs, Track, ros1);
WIRECOST_CODEC(TrackCdr, ::wire::bounds_msgs, Track, cdr);
WIRECOST_CODEC(EmptiesRos1, ::wire::empties, Empties, ros1);
WIRECOST_CODEC(EmptiesCdr, ::wire::empties, Empties, cdr);

struct Ros1 {
  using Notification = NotificationRos1;
  using Bounded = BoundedRos1;
  using Track = TrackRos1;
  using Empties = EmptiesRos1;
  static constexpr std::size_t header = 0;
};
struct Cdr {
  using Notification = NotificationCdr;
  using Bounded = BoundedCdr;
  using Track = TrackCdr;
  using Empties = EmptiesCdr;
  static constexpr std::size_t header = 4;
};

template <class Codec>
Error error_of(std::string_view in) {
  typename Codec::Message message;
  return Codec::decode(exact(in), message);
}

template <class Codec>
Error view_error_of(std::string_view in) {
  typename Codec::View view;
  return Codec::view(exact(in), view);
}

wire::rsb::protocol::Notification notification(int causes = 3) {
  wire::rsb::protocol::Notification made;
  made.event_id.sender_id = std::string(40, 's');
  made.scope = std::string(101, 'x');
  made.wire_schema = "schema";
  made.data = std::string(1000, 'd');
  made.method.emplace() = "method";
  for (int i = 0; i < causes; ++i) made.causes.emplace_back().sender_id = std::string(40, 'c');
  auto& meta = made.meta_data.emplace();
  meta.receive_time = 1;
  meta.deliver_time = 2;
  meta.user_infos.emplace_back().value = std::string(60, 'v');
  return made;
}

template <class Wire>
class Sequential : public testing::Test {};
using Wires = testing::Types<Ros1, Cdr>;
TYPED_TEST_SUITE(Sequential, Wires);

TYPED_TEST(Sequential, ReadsWhatItWrites) {
  using Codec = typename TypeParam::Notification;
  EXPECT_EQ(decoded<Codec>(encoded<Codec>(notification())), notification());
  using Bounded = typename TypeParam::Bounded;
  wire::bounds_msgs::Bounded message;
  message.few = {1, 2};
  message.words = {"1", "1234"};
  message.parts.resize(1);
  message.pair[1].tag = "123";
  message.flags = {true, false, true};
  EXPECT_EQ(decoded<Bounded>(encoded<Bounded>(message)), message);
}

TYPED_TEST(Sequential, EveryBeginningIsRefused) {
  using Codec = typename TypeParam::Notification;
  const std::string whole = encoded<Codec>(notification());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Error error = error_of<Codec>(whole.substr(0, size));
    ASSERT_TRUE(error) << size;
    ASSERT_LE(error.position, size);
    ASSERT_TRUE(view_error_of<Codec>(whole.substr(0, size))) << size;
  }
}

TYPED_TEST(Sequential, DamagedBytesAreReadSafely) {
  using Codec = typename TypeParam::Notification;
  const std::string whole = encoded<Codec>(notification());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[i] = value;
      typename Codec::Message message;
      if (Codec::decode(exact(damaged), message)) {
        ++refused;
        continue;
      }
      ASSERT_EQ(decoded<Codec>(encoded<Codec>(message)), message);
    }
  }
  EXPECT_GT(refused, 50U);
}

TYPED_TEST(Sequential, BufferMayNotBeSmaller) {
  using Codec = typename TypeParam::Notification;
  const auto message = notification();
  for (std::size_t size = 0; size < Codec::size(message); ++size) {
    std::vector<std::byte> buffer(size);
    ASSERT_EQ(Codec::encode(message, buffer).error.reason, Reason::buffer_too_small) << size;
  }
}

TYPED_TEST(Sequential, BufferMayBeLarger) {
  using Codec = typename TypeParam::Notification;
  const std::string expected = encoded<Codec>(notification());
  std::vector<std::byte> larger(expected.size() + 100, std::byte{'.'});
  const auto made = Codec::encode(notification(), larger);
  ASSERT_FALSE(made.error);
  EXPECT_EQ(text(made.bytes), expected);
  EXPECT_EQ(made.bytes.data(), larger.data());
  EXPECT_EQ(text(std::span(larger).last(100)), std::string(100, '.'));
}

TYPED_TEST(Sequential, ReuseAllocatesNothing) {
  using Codec = typename TypeParam::Notification;
  const std::string first = encoded<Codec>(notification(5));
  const std::string second = encoded<Codec>(notification(2));
  typename Codec::Message message;
  std::vector<std::byte> buffer(first.size());
  ASSERT_FALSE(Codec::decode(bytes(first), message));
  const std::size_t before = allocations();
  for (int round = 0; round < 3; ++round) {
    ASSERT_FALSE(Codec::decode(bytes(second), message));
    ASSERT_FALSE(Codec::decode(bytes(first), message));
    ASSERT_FALSE(Codec::encode(message, buffer).error);
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(message, notification(5));
}

TYPED_TEST(Sequential, ViewAllocatesNothingAndPointsIntoTheBuffer) {
  using Codec = typename TypeParam::Notification;
  const std::string in = encoded<Codec>(notification());
  const std::size_t before = allocations();
  typename Codec::View view;
  ASSERT_FALSE(Codec::view(bytes(in), view));
  std::size_t causes = 0;
  for (const auto& cause : view.causes) causes += cause.sender_id.size();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(causes, 120U);
  EXPECT_EQ(view.data, std::string(1000, 'd'));
  EXPECT_GE(view.data.data(), in.data());
  EXPECT_LE(view.data.data() + view.data.size(), in.data() + in.size());
}

TYPED_TEST(Sequential, AbsurdCountsAreRefusedWithoutMemory) {
  using Codec = typename TypeParam::Notification;
  largest_allocation();
  // The first field is a string; `causes` are the first array, behind six empty fields.
  const std::string header = TypeParam::header == 0 ? "" : std::string("\0\1\0\0", 4);
  for (const std::size_t at : {std::size_t{0}, std::size_t{24}}) {
    std::string in = header + std::string(200, '\0');
    in.replace(header.size() + at, 4, "\xff\xff\xff\xff");
    EXPECT_EQ(error_of<Codec>(in).reason, Reason::bad_length) << at;
    EXPECT_EQ(error_of<Codec>(in).position, header.size() + at);
    EXPECT_EQ(view_error_of<Codec>(in).reason, Reason::bad_length) << at;
  }
  EXPECT_LT(largest_allocation(), 1000U);
}

TYPED_TEST(Sequential, ArraysOfEmptyMessagesAreBounded) {
  using Codec = typename TypeParam::Empties;
  wire::empties::Empties message;
  message.nothings.resize(65'536);
  std::string in = encoded<Codec>(message);
  ASSERT_EQ(in.size(), TypeParam::header + 4);
  EXPECT_EQ(decoded<Codec>(in), message);
  EXPECT_FALSE(view_error_of<Codec>(in));
  largest_allocation();
  for (const std::string_view count :
       {std::string_view("\x01\x00\x01\x00", 4), std::string_view("\xff\xff\xff\xff", 4)}) {
    in.replace(in.size() - 4, 4, count);
    EXPECT_EQ(error_of<Codec>(in).reason, Reason::bad_length);
    EXPECT_EQ(view_error_of<Codec>(in).reason, Reason::bad_length);
  }
  EXPECT_LT(largest_allocation(), 1000U);
}

TYPED_TEST(Sequential, CallersBoundEmptyElementsAndText) {
  using Codec = typename TypeParam::Empties;
  wire::empties::Empties message;
  message.nothings.resize(4);
  const auto in = exact(encoded<Codec>(message));
  EXPECT_FALSE(Codec::decode(in, message, {.empty_elements = 4}));
  EXPECT_EQ(Codec::decode(in, message, {.empty_elements = 3}).reason, Reason::bad_length);

  using Bounded = typename TypeParam::Bounded;
  typename Bounded::Message bounded;
  bounded.name = "\xff";
  const auto no_text = exact(encoded<Bounded>(bounded));
  EXPECT_FALSE(Bounded::decode(no_text, bounded));
  EXPECT_EQ(Bounded::decode(no_text, bounded, {.utf8 = true}).reason, Reason::bad_utf8);
}

TYPED_TEST(Sequential, ReusedArraysOfEmptyMessagesHaveTheCountTheyCameWith) {
  using Codec = typename TypeParam::Empties;
  wire::empties::Empties message;
  for (const std::size_t count : {3U, 5U, 0U, 2U}) {
    wire::empties::Empties sent;
    sent.nothings.resize(count);
    ASSERT_FALSE(Codec::decode(exact(encoded<Codec>(sent)), message));
    EXPECT_EQ(message.nothings.size(), count);
  }
}

TYPED_TEST(Sequential, BoundsHold) {
  using Codec = typename TypeParam::Bounded;
  std::vector<std::byte> buffer(1000);
  const auto refused = [&](auto change) {
    wire::bounds_msgs::Bounded message;
    change(message);
    EXPECT_EQ(Codec::encode(message, buffer).error.reason, Reason::over_capacity);
  };
  refused([](auto& m) { m.name = "123456"; });
  refused([](auto& m) { m.few = {1, 2, 3, 4}; });
  refused([](auto& m) { m.words = {"1", "2", "3"}; });
  refused([](auto& m) { m.words = {"12345"}; });
  refused([](auto& m) { m.parts.resize(3); });
  refused([](auto& m) { m.parts.emplace_back().tag = "1234"; });
  refused([](auto& m) { m.pair[1].tag = "1234"; });
  refused([](auto& m) { m.one.tag = "1234"; });

  // Six bytes where five are allowed: another length and one byte more in a message that fits.
  wire::bounds_msgs::Bounded message;
  message.name = "1234";
  std::string in = encoded<Codec>(message);
  const std::size_t at = TypeParam::header;
  const auto size = static_cast<unsigned char>(in[at]);
  in[at] = static_cast<char>(size + 2);
  in.insert(at + 4, "ab");
  EXPECT_EQ(error_of<Codec>(in).reason, Reason::over_capacity);
  EXPECT_EQ(view_error_of<Codec>(in).reason, Reason::over_capacity);
}

TYPED_TEST(Sequential, ReusedMessagesKeepNothing) {
  using Codec = typename TypeParam::Notification;
  auto message = notification();
  ASSERT_FALSE(Codec::decode(exact(encoded<Codec>(notification(0))), message));
  EXPECT_EQ(message, notification(0));
}

wire::bounds_msgs::Track track() {
  wire::bounds_msgs::Track made;
  made.first = 1;
  made.last = 6;
  for (const int number : {1, 2}) {
    auto& mark = made.marks.emplace_back();
    mark.x = number;
    mark.a = -number;
    mark.b = 3;
  }
  return made;
}

// Elements that are copied in one piece, with their alignment, which an empty list does not have.
TYPED_TEST(Sequential, ListsOfPlainMessagesAreReadAsWritten) {
  using Codec = typename TypeParam::Track;
  auto message = track();
  const std::string in = encoded<Codec>(message);
  EXPECT_EQ(decoded<Codec>(in), message);
  const auto buffer = exact(in);
  typename Codec::View view;
  ASSERT_FALSE(Codec::view(buffer, view));
  EXPECT_EQ(view.marks.size(), 2);
  EXPECT_TRUE(std::equal(view.marks.begin(), view.marks.end(), message.marks.begin()));
  EXPECT_EQ(view.last, 6);
  for (std::size_t size = 0; size < in.size(); ++size) {
    EXPECT_TRUE(error_of<Codec>(in.substr(0, size))) << size;
    EXPECT_TRUE(view_error_of<Codec>(in.substr(0, size))) << size;
  }
  message.marks.clear();
  const std::string none = encoded<Codec>(message);
  EXPECT_EQ(none.size(), TypeParam::header + 8 + 4 + 1);
  EXPECT_EQ(decoded<Codec>(none), message);
  EXPECT_FALSE(view_error_of<Codec>(none));
}

TEST(Cdr, ListsOfPlainMessagesAreAligned) {
  const std::string little = from_hex(
      "00010000 0100000000000000 02000000 00000000"
      "000000000000f03f ffffffff 03000000 0000000000000040 feffffff 03000000 06");
  EXPECT_EQ(encoded<TrackCdr>(track()), little);
  const std::string big = from_hex(
      "00000000 0000000000000001 00000002 00000000"
      "3ff0000000000000 ffffffff 00000003 4000000000000000 fffffffe 00000003 06");
  EXPECT_EQ(decoded<TrackCdr>(big), track());
}

// A string and numbers of every width, written by hand with big-endian numbers.
TEST(Cdr, BigEndianInputIsTheSame) {
  wire::bounds_msgs::Bounded expected;
  expected.name = "ab";
  expected.few = {1, -2};
  expected.one.x = 9;
  expected.with_default = 0x0102;
  expected.with_real = 1.0;
  const std::string in = from_hex(
      "00000000"
      "00000003 616200 00"          // name, padding
      "00000002 00000001 fffffffe"  // few
      "00000000 00000000"           // words, parts
      "00000001 00 01 0000"         // pair
      "00000001 00 01 0000"         //
      "00000001 00 09"              // one
      "0102 00000000"               // with_default, padding
      "3ff0000000000000"            // with_real
      "00000004 61626300"           // with_text
      "01 00 00 00");               // with_bool, flags
  EXPECT_EQ(decoded<BoundedCdr>(in), expected);
  EXPECT_EQ(view_error_of<BoundedCdr>(in).reason, Reason::bad_header);
}

TEST(Cdr, PaddingAtTheEndIsAccepted) {
  std::string in = encoded<NotificationCdr>(notification());
  for (int padding = 0; padding < 4; ++padding, in += '\0') {
    EXPECT_FALSE(error_of<NotificationCdr>(in)) << padding;
    EXPECT_FALSE(view_error_of<NotificationCdr>(in)) << padding;
  }
  EXPECT_EQ(error_of<NotificationCdr>(in).reason, Reason::trailing_bytes);
  EXPECT_EQ(error_of<NotificationCdr>(in).position, in.size() - 4);
  EXPECT_EQ(view_error_of<NotificationCdr>(in).reason, Reason::trailing_bytes);
}

TEST(Cdr, OtherHeadersAreRefused) {
  std::string in = encoded<NotificationCdr>(notification());
  for (const char representation : {'\x02', '\x03', '\x06', '\x0b'}) {
    in[1] = representation;
    EXPECT_EQ(error_of<NotificationCdr>(in).reason, Reason::bad_header);
  }
  EXPECT_EQ(error_of<NotificationCdr>("").reason, Reason::bad_header);
}

TEST(Ros1, EmptyMessageNeedsNoPlace) {
  const auto made = wire::empties::ros1::encode(wire::empties::Nothing(), {});
  EXPECT_FALSE(made.error);
  EXPECT_TRUE(made.bytes.empty());
  wire::empties::Nothing message;
  EXPECT_FALSE(wire::empties::ros1::decode({}, message));
}

TEST(Ros1, NothingMayFollow) {
  const std::string in = encoded<NotificationRos1>(notification()) + '\0';
  EXPECT_EQ(error_of<NotificationRos1>(in).reason, Reason::trailing_bytes);
  EXPECT_EQ(view_error_of<NotificationRos1>(in).reason, Reason::trailing_bytes);
}

}  // namespace
