// SPDX-License-Identifier: Apache-2.0
// The protobuf wire: presence, errors, limits and storage.
#include <gtest/gtest.h>

#include <cmath>

#include "bounds_msgs/bounded.protobuf.hpp"
#include "compile/allocations.hpp"
#include "compile/codecs.hpp"
#include "conformance/chain.protobuf.hpp"
#include "conformance/proto2/every_type_proto2.protobuf.hpp"
#include "conformance/proto3/every_type_proto3.protobuf.hpp"
#include "many/many.protobuf.hpp"
#include "rsb/protocol/notification.protobuf.hpp"

namespace {

using namespace wirecost::test;
using wirecost::Error;
using wirecost::Limits;
using wirecost::Reason;

WIRECOST_CODEC(Proto2, ::wire::conformance::proto2, EveryType, protobuf);
WIRECOST_CODEC(Proto3, ::wire::conformance::proto3, EveryType, protobuf);
WIRECOST_CODEC(Chain, ::wire::conformance, Chain, protobuf);
WIRECOST_CODEC(Notification, ::wire::rsb::protocol, Notification, protobuf);
WIRECOST_CODEC(Many, ::wire::many, Many, protobuf);
WIRECOST_CODEC(Bounded, ::wire::bounds_msgs, Bounded, protobuf);

template <class Codec>
Error error_of(std::string_view in) {
  typename Codec::Message message;
  return Codec::decode(exact(in), message);
}

// `content` behind a tag of one byte and its length.
std::string delimited(char tag, const std::string& content) {
  std::string made(1, tag);
  std::size_t size = content.size();
  for (; size >= 0x80; size >>= 7U) made += static_cast<char>(size | 0x80U);
  return made + static_cast<char>(size) + content;
}

wire::rsb::protocol::Notification notification(int causes = 3) {
  wire::rsb::protocol::Notification made;
  made.event_id.sender_id = std::string(40, 's');
  made.scope = std::string(100, 'x');
  made.wire_schema = "schema";
  made.data = std::string(1000, 'd');
  made.method = "method";
  for (int i = 0; i < causes; ++i) made.causes.emplace_back().sender_id = std::string(40, 'c');
  auto& meta = made.meta_data.emplace();
  auto& info = meta.user_infos.emplace_back();
  info.key = std::string(50, 'k');
  info.value = std::string(60, 'v');
  return made;
}

TEST(Protobuf, TellsAbsentFromDefault) {
  auto message = decoded<Proto3>("");
  EXPECT_FALSE(message.maybe_int32);
  EXPECT_EQ(message.an_int32, 0);
  message.maybe_int32 = 0;
  EXPECT_EQ(to_hex(encoded<Proto3>(message)), "b00100");
  EXPECT_TRUE(decoded<Proto3>(encoded<Proto3>(message)).maybe_int32);
}

TEST(Protobuf, NegativeZeroIsNoDefault) {
  wire::conformance::proto3::EveryType message;
  message.a_double = -0.0;
  EXPECT_EQ(encoded<Proto3>(message).size(), 9U);
  EXPECT_TRUE(std::signbit(decoded<Proto3>(encoded<Proto3>(message)).a_double));
}

TEST(Protobuf, DeclaredDefaultsAreLeftOutAndRestored) {
  wire::bounds_msgs::Bounded message;
  EXPECT_EQ(message.with_default, 7);
  const std::string without = encoded<Bounded>(message);
  EXPECT_EQ(decoded<Bounded>(without), message);

  message.with_default = 0;
  message.with_real = 0;
  message.with_text.clear();
  message.with_bool = false;
  const std::string with = encoded<Bounded>(message);
  EXPECT_EQ(to_hex(with.substr(with.find('\x38'))).substr(0, 30), "38004100000000000000004a005000");
  EXPECT_EQ(with.size(), without.size() + 15);
  EXPECT_EQ(decoded<Bounded>(with), message);

  Bounded::Message reused = message;
  ASSERT_FALSE(Bounded::decode(exact(without), reused));
  EXPECT_EQ(reused.with_text, "abc");
}

TEST(Protobuf, DefaultsOfAbsentFieldsAreConstants) {
  using EveryType = wire::conformance::proto2::EveryType;
  EXPECT_EQ(EveryType::with_default_number_default, -7);
  EXPECT_EQ(EveryType::with_default_string_default, "quote \" and é");
  EXPECT_EQ(EveryType().with_default_number.value_or(EveryType::with_default_number_default), -7);
}

TEST(Protobuf, ErrorsHavePositionAndReason) {
  const std::string valid = encoded<Notification>(notification());
  EXPECT_EQ(error_of<Notification>("").reason, Reason::missing_required);
  EXPECT_STREQ(error_of<Notification>("").what(), "a required field is missing");
  // scope, then a cause of which the number is missing
  const std::string cause = delimited('\x32', "scope") + delimited('\x6a', "\x0a\x01s");
  EXPECT_EQ(error_of<Notification>(cause).reason, Reason::missing_required);
  EXPECT_EQ(error_of<Notification>(cause).position, cause.size());
  EXPECT_EQ(error_of<Notification>(valid + '\x07').reason, Reason::bad_tag);
  EXPECT_EQ(error_of<Notification>(valid + '\x07').position, valid.size());
  EXPECT_EQ(error_of<Notification>(valid + "\x32\x7f").reason, Reason::bad_length);
  EXPECT_EQ(error_of<Notification>(valid + "\x32\x7f").position, valid.size() + 1);
  EXPECT_EQ(error_of<Proto3>(from_hex("18" + std::string(22, 'f'))).reason, Reason::bad_varint);
  EXPECT_EQ(error_of<Proto3>(from_hex("09 00")).reason, Reason::truncated);
  EXPECT_EQ(error_of<Proto3>(from_hex("7202c328")).reason, Reason::bad_utf8);
  EXPECT_EQ(error_of<Proto3>(from_hex("c33ecc3e")).reason, Reason::bad_group);
  EXPECT_FALSE(Error());
  EXPECT_STREQ(Error().what(), "no error");
}

TEST(Protobuf, EveryOfManyRequiredFieldsIsMissed) {
  std::string fields;
  for (int number = 1; number <= 70; ++number) {
    EXPECT_EQ(error_of<Many>(fields).reason, Reason::missing_required) << number;
    const int tag = number << 3;
    if (tag < 0x80) {
      fields += static_cast<char>(tag);
    } else {
      fields += {static_cast<char>(tag | 0x80), static_cast<char>(tag >> 7)};
    }
    fields += '\x01';
  }
  EXPECT_EQ(decoded<Many>(fields).f70, 1);
  // The first is missing, and one whose bit is the same in the next word is there.
  EXPECT_EQ(error_of<Many>(fields.substr(2)).reason, Reason::missing_required);
}

TEST(Protobuf, BufferMayBeLarger) {
  const auto message = notification();
  const std::string bytes = encoded<Notification>(message);
  std::vector<std::byte> larger(bytes.size() + 100, std::byte{'.'});
  const auto made = Notification::encode(message, larger);
  ASSERT_FALSE(made.error);
  EXPECT_EQ(text(made.bytes), bytes);
  EXPECT_EQ(made.bytes.data(), larger.data() + 100);
  EXPECT_EQ(text(std::span(larger).first(100)), std::string(100, '.'));
}

TEST(Protobuf, BufferMayNotBeSmaller) {
  const auto message = notification();
  for (std::size_t size = 0; size < Notification::size(message); ++size) {
    std::vector<std::byte> buffer(size);
    const auto made = Notification::encode(message, buffer);
    ASSERT_EQ(made.error.reason, Reason::buffer_too_small) << size;
    ASSERT_TRUE(made.bytes.empty());
  }
}

TEST(Protobuf, EmptyMessageNeedsNoPlace) {
  const auto made = Proto3::encode({}, {});
  EXPECT_FALSE(made.error);
  EXPECT_TRUE(made.bytes.empty());
  Proto3::Message message;
  EXPECT_FALSE(Proto3::decode({}, message));
}

TEST(Protobuf, ReuseAllocatesNothing) {
  const std::string first = encoded<Notification>(notification(5));
  const std::string second = encoded<Notification>(notification(2));
  Notification::Message message;
  std::vector<std::byte> buffer(first.size());
  ASSERT_FALSE(Notification::decode(bytes(first), message));
  const std::size_t before = allocations();
  for (int round = 0; round < 3; ++round) {
    ASSERT_FALSE(Notification::decode(bytes(second), message));
    ASSERT_FALSE(Notification::decode(bytes(first), message));
    ASSERT_FALSE(Notification::encode(message, buffer).error);
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(encoded<Notification>(message), first);
}

TEST(Protobuf, ReusedMessagesKeepNothing) {
  auto message = notification();
  ASSERT_FALSE(Notification::decode(exact(encoded<Notification>(notification(0))), message));
  EXPECT_EQ(message, notification(0));
  message.clear();
  EXPECT_EQ(message, wire::rsb::protocol::Notification());
}

TEST(Protobuf, ViewAllocatesNothingAndPointsIntoTheBuffer) {
  const auto message = notification();
  const std::string in = encoded<Notification>(message);
  const std::size_t before = allocations();
  Notification::View view;
  ASSERT_FALSE(Notification::view(bytes(in), view));
  std::size_t causes = 0;
  for (const auto& cause : view.causes) causes += cause.sender_id.size();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(causes, 120U);
  EXPECT_EQ(view.causes.size(), 3U);
  EXPECT_EQ(view.data, message.data.view());
  EXPECT_GE(view.data.data(), in.data());
  EXPECT_LE(view.data.data() + view.data.size(), in.data() + in.size());
  EXPECT_EQ((*view.meta_data->user_infos.begin()).key, std::string(50, 'k'));
}

TEST(Protobuf, ViewShowsPackedAndUnpackedElements) {
  Proto3::View view;
  const auto in = exact(from_hex("da020201 02 d80203 6801 da020104"));
  ASSERT_FALSE(Proto3::view(in, view));
  std::vector<int> found;
  for (const auto value : view.int32s) found.push_back(value);
  EXPECT_EQ(found, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_TRUE(view.a_bool);
}

TEST(Protobuf, ReusedViewsShowNothingOfBefore) {
  wire::conformance::proto3::EveryType message;
  message.a_double = 1.5;
  message.a_string = "text";
  message.an_inner.emplace().id = 3;
  message.maybe_int32 = 4;
  message.strings.emplace_back() = "element";
  message.choice.emplace<wire::conformance::proto3::EveryType::choice_chosen_number>(7);
  message.by_uint32[8] = 9;
  const std::string in = encoded<Proto3>(message);
  Proto3::View view;
  for (int round = 0; round < 2; ++round) {
    ASSERT_FALSE(Proto3::view(bytes(in), view));
    EXPECT_EQ(view.an_inner->id, 3);
    EXPECT_EQ(view.by_uint32.begin()->value, 9U);
    ASSERT_FALSE(Proto3::view({}, view));
    EXPECT_EQ(view.a_double, 0);
    EXPECT_EQ(view.a_string, "");
    EXPECT_FALSE(view.an_inner || view.maybe_int32);
    EXPECT_TRUE(view.strings.empty() && view.by_uint32.empty());
    EXPECT_EQ(view.choice.index(), 0U);
  }
  // A message that is there again, with another field.
  ASSERT_FALSE(Proto3::view(bytes(in), view));
  const std::string other = from_hex("9201 03 120174");
  ASSERT_FALSE(Proto3::view(bytes(other), view));
  EXPECT_EQ(view.an_inner->id, 0);
  EXPECT_EQ(view.an_inner->text, "t");
}

TEST(Protobuf, ElementsOfViewsAreReadIntoKeptMemory) {
  const std::string many = encoded<Notification>(notification(3));
  const std::string few = encoded<Notification>(notification(1));
  Notification::View view;
  std::vector<decltype(view.causes)::Value> causes;
  for (const auto& in : {many, few, many}) {
    ASSERT_FALSE(Notification::view(bytes(in), view));
    view.causes.to(causes);
    std::size_t i = 0;
    for (const auto& cause : view.causes) EXPECT_EQ(causes.at(i++).sender_id, cause.sender_id);
    EXPECT_EQ(i, causes.size());
  }
}

std::string nested(int depth, bool groups) {
  std::string made;
  for (int i = 0; i < depth; ++i) {
    made = groups ? '\x43' + made + '\x44' : delimited('\x0a', made);
  }
  return made;
}

TEST(Protobuf, NestsAHundredDeep) {
  EXPECT_FALSE(error_of<Chain>(nested(100, false)));
  EXPECT_EQ(error_of<Chain>(nested(101, false)).reason, Reason::nested_too_deep);
  EXPECT_FALSE(error_of<Chain>(nested(100, true)));
  for (const bool groups : {false, true}) {
    EXPECT_EQ(error_of<Chain>(nested(1000, groups)).reason, Reason::nested_too_deep);
    Chain::View view;
    EXPECT_EQ(Chain::view(exact(nested(1000, groups)), view).reason, Reason::nested_too_deep);
  }
  Chain::Message message;
  Limits limits;
  limits.depth = 3;
  using wire::conformance::protobuf::decode;
  EXPECT_FALSE(decode(bytes(nested(3, false)), message, limits));
  EXPECT_TRUE(decode(bytes(nested(4, false)), message, limits));
}

TEST(Protobuf, AbsurdLengthsAreRefusedWithoutMemory) {
  largest_allocation();
  const auto refused = [](const char* hex, Reason reason) {
    EXPECT_EQ(error_of<Proto3>(from_hex(hex)).reason, reason) << hex;
    Proto3::View view;
    EXPECT_EQ(Proto3::view(exact(from_hex(hex)), view).reason, reason) << hex;
  };
  for (const char* hex : {"72ffffffff07", "ca02ffffffff07", "da02ffffffff07", "b203ffffffff07",
                          "8a05ffffffff07", "9201ffffffff07"})
    refused(hex, Reason::bad_length);
  refused("72ffffffffffffffff7f", Reason::bad_varint);  // a length has five bytes at most
  EXPECT_LT(largest_allocation(), 1000U);
}

// EveryType is thousands of bytes large and three of input ask for one more.
TEST(Protobuf, MemoryIsBounded) {
  const auto in = [](int depth) {
    std::string made;
    for (int i = 0; i < depth; ++i) made = from_hex("f2") + delimited('\x04', made);
    return made;
  };
  using wire::conformance::proto3::protobuf::decode;
  Proto3::Message message;
  static_assert(sizeof message > 1000);
  Limits limits;
  limits.memory = 20 * sizeof message;
  EXPECT_FALSE(decode(bytes(in(20)), message, limits));
  EXPECT_EQ(decode(bytes(in(60)), message, limits).reason, Reason::too_much_memory);
}

TEST(Protobuf, AListIsMadeInOneBlock) {
  constexpr std::size_t count = 1000;
  const auto block = [](std::size_t elements) {
    return elements * sizeof(wire::rsb::protocol::EventId);
  };
  const auto with = [](std::size_t causes) {
    auto made = notification(0);
    for (std::size_t i = 0; i < causes; ++i) made.causes.emplace_back().sender_id = "c";
    return encoded<Notification>(made);
  };
  const std::string in = with(count);  // smaller than what is made of it
  (void)largest_allocation();
  EXPECT_EQ(decoded<Notification>(in).causes.size(), count);
  EXPECT_EQ(largest_allocation(), block(count));
  // What comes later, behind other fields, has room as well; so have single elements, by doubling.
  EXPECT_EQ(decoded<Notification>(in + in).causes.size(), 2 * count);
  EXPECT_EQ(largest_allocation(), block(2 * count));
  std::string scattered = in;
  for (int i = 0; i < 20; ++i) scattered += with(1);
  EXPECT_EQ(decoded<Notification>(scattered).causes.size(), count + 20);
  EXPECT_EQ(largest_allocation(), block(2 * count));
}

TEST(Protobuf, RoomForAListIsBounded) {
  std::string in;
  for (int i = 0; i < 100'000; ++i) in += from_hex("0a00");  // two bytes, of hundreds in memory
  Limits limits;
  limits.memory = 1'000'000;
  (void)largest_allocation();
  wire::many::List message;
  EXPECT_EQ(wire::many::protobuf::decode(bytes(in), message, limits).reason,
            Reason::missing_required);
  EXPECT_LE(largest_allocation(), limits.memory + in.size() * Limits::free_memory);
}

TEST(Protobuf, BoundsHold) {
  wire::bounds_msgs::Bounded message;
  message.few = {1, 2, 3};
  message.words = {"1234", "1234"};
  message.parts.resize(2);
  message.pair[1].tag = "123";
  EXPECT_EQ(decoded<Bounded>(encoded<Bounded>(message)), message);
  std::vector<std::byte> buffer(1000);
  const auto refused = [&](auto change) {
    auto changed = message;
    change(changed);
    EXPECT_EQ(Bounded::encode(changed, buffer).error.reason, Reason::over_capacity);
  };
  refused([](auto& m) { m.name = "123456"; });
  refused([](auto& m) { m.few.push_back(4); });
  refused([](auto& m) { m.words.push_back("1"); });
  refused([](auto& m) { m.words[1] = "12345"; });
  refused([](auto& m) { m.parts.emplace_back(); });
  refused([](auto& m) { m.parts[1].tag = "1234"; });
  refused([](auto& m) { m.pair[1].tag = "1234"; });
  refused([](auto& m) { m.one.tag = "1234"; });
  for (const char* hex : {"0a06313233343536", "120401020304", "1001 1001 1001 1001",
                          "1a053132333435", "1a00 1a00 1a00", "2200 2200 2200", "2a00 2a00 2a00",
                          "32060a0431323334", "5a0401010101", "5801 5801 5801 5801"}) {
    EXPECT_EQ(error_of<Bounded>(from_hex(hex)).reason, Reason::over_capacity) << hex;
    Bounded::View view;
    EXPECT_EQ(Bounded::view(exact(from_hex(hex)), view).reason, Reason::over_capacity) << hex;
  }
}

TEST(Protobuf, ArraysOfFixedSizeAreFilledInOrder) {
  const auto message = decoded<Bounded>(from_hex("5a0101 5801 2a021007"));
  EXPECT_EQ(message.flags, (std::array{true, true, false}));
  EXPECT_EQ(message.pair[0].x, 7);
  EXPECT_EQ(message.pair[1].x, 1);
}

}  // namespace
