// SPDX-License-Identifier: Apache-2.0
// The façade as code for Google's classes uses it.
#include <gtest/gtest.h>

#include "bounds_msgs/bounded.pb.h"
#include "conformance/proto2/every_type_proto2.pb.h"
#include "conformance/proto3/every_type_proto3.pb.h"
#include "rsb/protocol/notification.pb.h"

namespace {

using facade::rsb::protocol::Notification;

Notification complete() {
  Notification made;
  made.mutable_event_id()->set_sender_id("me");
  made.mutable_event_id()->set_sequence_number(7);
  made.set_scope("/scope");
  made.set_wire_schema("utf-8");
  made.set_data("data");
  return made;
}

TEST(Facade, TellsAbsentFromDefault) {
  facade::conformance::proto2::EveryType made;
  EXPECT_FALSE(made.has_an_int32());
  EXPECT_EQ(made.an_int32(), 0);
  made.set_an_int32(0);
  EXPECT_TRUE(made.has_an_int32());
  made.clear_an_int32();
  EXPECT_FALSE(made.has_an_int32());

  EXPECT_FALSE(made.has_a_required_number());
  made.set_a_required_number(1);
  EXPECT_TRUE(made.has_a_required_number());
}

TEST(Facade, HasDeclaredDefaults) {
  facade::conformance::proto2::EveryType made;
  EXPECT_EQ(made.with_default_number(), -7);
  EXPECT_TRUE(made.with_default_bool());
  EXPECT_EQ(made.with_default_string(), "quote \" and é");
  EXPECT_EQ(made.with_default_bytes(), std::string("\0\xffx", 3));
  EXPECT_EQ(made.with_default_color(), facade::conformance::proto2::COLOR_GREEN);
  EXPECT_FALSE(made.has_with_default_string());
  EXPECT_EQ(*made.mutable_with_default_string(), "quote \" and é");
  EXPECT_TRUE(made.has_with_default_string());
  made.set_with_default_number(1);
  made.clear_with_default_number();
  EXPECT_EQ(made.with_default_number(), -7);

  facade::bounds_msgs::Bounded ros;
  EXPECT_EQ(ros.with_default(), 7);
  EXPECT_EQ(ros.with_text(), "abc");
  ros.set_with_default(1);
  ros.set_with_text("");
  ros.Clear();
  EXPECT_EQ(ros.with_default(), 7);
  EXPECT_EQ(ros.with_text(), "abc");
}

TEST(Facade, MakesSubMessages) {
  Notification made;
  EXPECT_FALSE(made.has_meta_data());
  EXPECT_EQ(made.meta_data().create_time(), 0);
  EXPECT_FALSE(made.has_meta_data());
  made.mutable_meta_data()->set_create_time(5);
  EXPECT_TRUE(made.has_meta_data());
  EXPECT_EQ(made.meta_data().create_time(), 5);
  made.clear_meta_data();
  EXPECT_FALSE(made.has_meta_data());
  EXPECT_EQ(made.mutable_meta_data()->create_time(), 0);
}

TEST(Facade, AddsElements) {
  Notification made;
  made.add_causes()->set_sender_id("first");
  made.add_causes()->set_sender_id("second");
  ASSERT_EQ(made.causes_size(), 2);
  EXPECT_EQ(made.causes(1).sender_id(), "second");
  made.mutable_causes(0)->set_sender_id("changed");
  EXPECT_EQ(made.causes().begin()->sender_id(), "changed");
  made.clear_causes();
  EXPECT_EQ(made.causes_size(), 0);
  EXPECT_FALSE(made.add_causes()->has_sender_id());

  facade::conformance::proto3::EveryType numbers;
  numbers.add_int32s(3);
  numbers.add_int32s(4);
  numbers.set_int32s(0, 5);
  EXPECT_EQ(numbers.int32s(0) + numbers.int32s(1), 9);
  numbers.add_strings("text");
  EXPECT_EQ(numbers.strings(0), "text");
  numbers.add_bools(true);
  EXPECT_TRUE(numbers.bools(0));
  (*numbers.mutable_by_int32())[3] = "three";
  EXPECT_EQ(numbers.by_int32_size(), 1);
}

TEST(Facade, HoldsOneOfAOneof) {
  using EveryType = facade::conformance::proto3::EveryType;
  EveryType made;
  EXPECT_EQ(made.choice_case(), EveryType::CHOICE_NOT_SET);
  made.set_chosen_number(1);
  EXPECT_EQ(made.choice_case(), EveryType::kChosenNumber);
  made.mutable_chosen_inner()->set_id(2);
  EXPECT_FALSE(made.has_chosen_number());
  EXPECT_EQ(made.chosen_number(), 0);
  EXPECT_EQ(made.mutable_chosen_inner()->id(), 2);
  made.mutable_chosen_self()->set_chosen_string("inner");
  EXPECT_EQ(made.chosen_self().chosen_string(), "inner");
  made.clear_chosen_inner();  // is not set, so nothing is cleared
  EXPECT_TRUE(made.has_chosen_self());
  made.clear_choice();
  EXPECT_EQ(made.choice_case(), EveryType::CHOICE_NOT_SET);
}

TEST(Facade, WritesWhatItReads) {
  const Notification made = complete();
  std::string bytes;
  ASSERT_TRUE(made.SerializeToString(&bytes));
  EXPECT_EQ(made.ByteSizeLong(), bytes.size());
  EXPECT_EQ(made.SerializeAsString(), bytes);
  std::string after = "before ";
  ASSERT_TRUE(made.AppendToString(&after));
  EXPECT_EQ(after, "before " + bytes);
  std::string array(bytes.size() + 3, '.');
  ASSERT_TRUE(made.SerializeToArray(array.data(), static_cast<int>(array.size())));
  EXPECT_EQ(array, bytes + "...");
  EXPECT_FALSE(made.SerializeToArray(array.data(), static_cast<int>(bytes.size()) - 1));

  Notification read;
  read.add_causes();  // parsing clears first
  ASSERT_TRUE(read.ParseFromString(bytes));
  EXPECT_EQ(read, made);
  Notification swapped;
  swapped.Swap(&read);
  EXPECT_EQ(swapped, made);
  read.CopyFrom(swapped);
  EXPECT_EQ(read, made);
}

TEST(Facade, RefusesWhatLacksRequiredFields) {
  std::string bytes = "old";
  const Notification empty;
  EXPECT_FALSE(empty.IsInitialized());
  EXPECT_FALSE(empty.SerializeToString(&bytes));
  EXPECT_EQ(empty.SerializeAsString(), "");
  Notification made = complete();
  EXPECT_TRUE(made.IsInitialized());
  made.add_causes()->set_sender_id("without number");
  EXPECT_FALSE(made.IsInitialized());
  EXPECT_FALSE(made.SerializeToString(&bytes));
  EXPECT_FALSE(made.ParseFromString(""));
}

TEST(Facade, RefusesGarbage) {
  Notification made;
  EXPECT_FALSE(made.ParseFromArray("\xff\xff\xff", 3));
  EXPECT_FALSE(made.ParseFromArray("garbage", 7));
  EXPECT_FALSE(made.ParseFromArray("", -1));
  const std::string bytes = complete().SerializeAsString();
  EXPECT_FALSE(made.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()) - 1));
}

TEST(Facade, SizesAreKnownOnlyOfWhatDidNotChange) {
  Notification made = complete();
  std::string array(made.ByteSizeLong(), '.');
  ASSERT_TRUE(made.SerializeToArray(array.data(), static_cast<int>(array.size())));
  EXPECT_EQ(array, made.SerializeAsString());
  for (const char* scope : {"/", "/a/longer/scope/than/before/and/after"}) {
    made.ByteSizeLong();
    made.set_scope(scope);
    std::string large(array.size() + 100, '.');
    ASSERT_TRUE(made.SerializeToArray(large.data(), static_cast<int>(large.size())));
    EXPECT_TRUE(large.starts_with(made.SerializeAsString()));
    made.ByteSizeLong();
    made.set_scope("/scope");
    auto* const begin = reinterpret_cast<std::uint8_t*>(large.data());
    EXPECT_EQ(made.SerializeWithCachedSizesToArray(begin) - begin, static_cast<int>(array.size()));
    EXPECT_TRUE(large.starts_with(array));
  }
  made.ByteSizeLong();
  made.Clear();
  EXPECT_FALSE(made.SerializeToArray(array.data(), static_cast<int>(array.size())));
  EXPECT_TRUE(made.SerializePartialToArray(nullptr, 0));
}

TEST(Facade, EmptyMessageNeedsNoPlace) {
  facade::conformance::proto3::EveryType made;
  made.set_an_int32(1);
  EXPECT_TRUE(made.ParseFromArray(nullptr, 0));
  EXPECT_EQ(made.an_int32(), 0);
  EXPECT_TRUE(made.SerializeToArray(nullptr, 0));
}

TEST(Facade, RefusesMoreThanABound) {
  facade::bounds_msgs::Bounded made;
  made.set_name("12345");
  made.add_few(1);
  std::string bytes;
  EXPECT_TRUE(made.SerializeToString(&bytes));
  made.set_name("123456");
  EXPECT_FALSE(made.SerializeToString(&bytes));
}

TEST(Facade, KnowsEnumValues) {
  EXPECT_TRUE(facade::conformance::proto2::Color_IsValid(300));
  EXPECT_FALSE(facade::conformance::proto2::Color_IsValid(301));
  using EveryType = facade::conformance::proto2::EveryType;
  EXPECT_EQ(static_cast<int>(EveryType::FIRST), 3);
  const EveryType made;
  EXPECT_EQ(made.a_nested(), EveryType::FIRST);  // the first one declared
}

}  // namespace
