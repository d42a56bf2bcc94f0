// SPDX-License-Identifier: Apache-2.0
// What the fields of classes with Protobuf's interface are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/proto3/every_type_proto3.pb.h"
#include "rsb/protocol/notification.pb.h"

namespace {

using facade::conformance::proto3::EveryType;
using facade::rsb::protocol::EventId;
using facade::rsb::protocol::Notification;
using wirecost::api::RepeatedField;
using wirecost::api::RepeatedPtrField;
using wirecost::api::Sub;

EventId event(unsigned number) {
  EventId made;
  made.set_sequence_number(number);
  made.set_sender_id("sender " + std::to_string(number));
  return made;
}

std::vector<unsigned> numbers(const RepeatedPtrField<EventId>& events) {
  std::vector<unsigned> found;
  for (const EventId& one : events) found.push_back(one.sequence_number());
  return found;
}

RepeatedPtrField<EventId> events(unsigned count) {
  RepeatedPtrField<EventId> made;
  for (unsigned i = 0; i < count; ++i) made.Add(event(i));
  return made;
}

TEST(RepeatedPtrFields, KeepAddresses) {
  RepeatedPtrField<EventId> field;
  std::vector<EventId*> at;
  for (unsigned i = 0; i < 5000; ++i) {
    at.push_back(field.Add());
    at.back()->set_sequence_number(i);
  }
  EXPECT_EQ(std::set<EventId*>(at.begin(), at.end()).size(), at.size());
  for (unsigned i = 0; i < at.size(); ++i) {
    ASSERT_EQ(at[i]->sequence_number(), i);
    ASSERT_EQ(&field[i], at[i]);
  }
  const RepeatedPtrField<EventId> moved = std::move(field);
  EXPECT_EQ(&moved[4999], at[4999]);
}

TEST(RepeatedPtrFields, ClearWhatIsUsedAgain) {
  RepeatedPtrField<EventId> field = events(3);
  EventId* const second = &field[1];
  field.Clear();
  field.Add();
  EXPECT_EQ(field.Add(), second);
  EXPECT_FALSE(second->has_sender_id());
  EXPECT_FALSE(second->has_sequence_number());
}

TEST(RepeatedPtrFields, TakeAndGiveElements) {
  RepeatedPtrField<EventId> field = events(4);
  field.RemoveLast();  // leaves a spare element
  auto* const own = new EventId(event(40));
  field.AddAllocated(own);
  EXPECT_EQ(&field[3], own);
  EXPECT_EQ(numbers(field), (std::vector<unsigned>{0, 1, 2, 40}));
  field.SwapElements(0, 3);
  EventId* const last = field.ReleaseLast();
  EXPECT_EQ(last->sequence_number(), 0U);
  delete last;
  field.SwapElements(0, 2);
  EXPECT_EQ(field.ReleaseLast(), own);
  delete own;
  EXPECT_EQ(numbers(field), (std::vector<unsigned>{2, 1}));
  EXPECT_FALSE(field.Add()->has_sequence_number());
  field.AddAllocated(new EventId(event(41)));
  field.RemoveLast();  // now a spare one of its own
  field.AddAllocated(new EventId(event(42)));
  std::vector<EventId*> taken(3);
  field.ExtractSubrange(1, 3, taken.data());
  EXPECT_EQ(taken[0]->sequence_number(), 1U);
  EXPECT_EQ(taken[2]->sequence_number(), 42U);
  for (EventId* one : taken) delete one;
  EXPECT_EQ(numbers(field), (std::vector<unsigned>{2}));
}

TEST(RepeatedPtrFields, AreSequences) {
  RepeatedPtrField<EventId> field = events(6);
  std::sort(field.begin(), field.end(), [](const EventId& a, const EventId& b) {
    return a.sequence_number() > b.sequence_number();
  });
  EXPECT_EQ(numbers(field), (std::vector<unsigned>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(field.erase(field.begin() + 1, field.begin() + 3)->sequence_number(), 2U);
  field.DeleteSubrange(0, 0);
  EXPECT_EQ(numbers(field), (std::vector<unsigned>{5, 2, 1, 0}));
  EXPECT_EQ(field.rbegin()->sequence_number(), 0U);
  EXPECT_EQ(field.begin()[1].sequence_number(), 2U);
  EXPECT_EQ((*field.pointer_begin())->sequence_number(), 5U);
  const RepeatedPtrField<EventId> copied(field.begin(), field.end());
  EXPECT_EQ(copied, field);
  field = field;  // NOLINT(clang-diagnostic-self-assign-overloaded): that is asked
  field.MergeFrom(field);
  EXPECT_EQ(field.size(), 8);
  EXPECT_THROW(static_cast<void>(field.at(8)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(field.at(-1)), std::out_of_range);
  RepeatedPtrField<EventId> none;
  EXPECT_EQ(none.begin(), none.end());
  none.Swap(&field);
  EXPECT_TRUE(field.empty());
  RepeatedPtrField<std::string> texts;
  *texts.Add() = "a longer text than a string has room for";
  texts.Clear();
  EXPECT_EQ(*texts.Add(), "");
}

TEST(RepeatedFields, AreSequences) {
  RepeatedField<int> field;
  for (int i = 0; i < 100; ++i) field.Add(i);
  EXPECT_EQ(std::accumulate(field.begin(), field.end(), 0), 4950);
  field.Truncate(5);
  field.Resize(7, -1);
  EXPECT_EQ(*field.erase(field.begin() + 1), 2);
  EXPECT_EQ(std::vector<int>(field.begin(), field.end()), (std::vector<int>{0, 2, 3, 4, -1, -1}));
  field.MergeFrom(field);
  EXPECT_EQ(field.size(), 12);
  field.SwapElements(0, 1);
  EXPECT_EQ(field.Get(0), 2);
  std::vector<int> taken(2);
  field.ExtractSubrange(0, 2, taken.data());
  EXPECT_EQ(taken, (std::vector<int>{2, 0}));
  EXPECT_THROW(static_cast<void>(field.at(10)), std::out_of_range);
  const RepeatedField<int> copied = field;
  EXPECT_EQ(copied, field);
  field.Clear();
  EXPECT_TRUE(field.empty());
}

TEST(Subs, LieWhereTheyWereMade) {
  Notification made;
  EventId* const first = made.mutable_event_id();
  first->set_sequence_number(1);
  made.clear_event_id();
  EXPECT_EQ(made.mutable_event_id(), first);
  EXPECT_FALSE(first->has_sequence_number());
  auto* const own = new EventId(event(7));
  made.set_allocated_event_id(own);
  made.set_allocated_event_id(own);  // is there already
  own->set_sequence_number(8);
  EXPECT_EQ(made.event_id().sequence_number(), 8U);
  Notification copied = made;
  const Notification moved = std::move(made);
  EXPECT_EQ(&moved.event_id(), own);
  EventId* const released = copied.release_event_id();
  EXPECT_EQ(released->sequence_number(), 8U);
  delete released;
}

TEST(Subs, MayHoldWhatHoldsThem) {
  EveryType outer;
  outer.mutable_chosen_self()->mutable_chosen_self()->set_an_int32(3);
  EveryType copied = outer;
  copied.mutable_chosen_self()->Swap(&outer);
  EXPECT_EQ(outer.chosen_self().an_int32(), 3);
  EveryType* const released = copied.release_chosen_self();
  EXPECT_FALSE(copied.has_chosen_self());
  copied.set_allocated_chosen_self(released);
  EXPECT_EQ(copied.chosen_self().chosen_self().chosen_self().an_int32(), 3);
}

TEST(Classes, TellWhatTheyTake) {
  Notification made;
  const std::size_t empty = made.SpaceUsedLong();
  EXPECT_EQ(empty, sizeof made);
  for (unsigned i = 0; i < 100; ++i) made.add_causes()->set_sender_id(std::string(100, 'x'));
  EXPECT_GT(made.SpaceUsedLong(), empty + 100 * (sizeof(EventId) + 100));
  EXPECT_LT(made.SpaceUsedLong(), empty + 200 * (sizeof(EventId) + 100));
}

TEST(Classes, AreParsedWithinLimits) {
  Notification made;
  for (int i = 0; i < 60'000; ++i) made.add_causes();
  const std::string bytes = made.SerializePartialAsString();
  ASSERT_FALSE(bytes.empty());
  Notification parsed;
  EXPECT_TRUE(parsed.ParsePartialFromString(bytes));
  EXPECT_EQ(parsed.causes_size(), 60'000);
  auto& limits = wirecost::api::parse_limits();
  const auto before = limits;
  limits.memory = 1 << 20;
  limits.memory_per_byte = 0;
  EXPECT_FALSE(parsed.ParsePartialFromString(bytes));
  limits = before;
  EveryType deep;
  for (EveryType* inner = &deep; limits.depth-- > -1;) inner = inner->mutable_chosen_self();
  limits = before;
  EXPECT_FALSE(EveryType().ParseFromString(deep.SerializeAsString()));
  limits.depth = 200;
  EXPECT_TRUE(EveryType().ParseFromString(deep.SerializeAsString()));
  limits = before;
}

TEST(Classes, RefuseOthers) {
  const wirecost::api::MessageLite& other = event(1);
  Notification made;
  EXPECT_THROW(made.CheckTypeAndMergeFrom(other), std::invalid_argument);
  EventId merged;
  merged.CheckTypeAndMergeFrom(event(2));
  EXPECT_EQ(merged.sequence_number(), 2U);
}

TEST(Classes, PrintUnknownFields) {
  EventId made;
  const std::string bytes(
      "\xA0\x06\x05"                              // 100: 5
      "\xAA\x06\x02\x08\x01"                      // 101: a message with 1: 1
      "\xB2\x06\x01\xFF"                          // 102: no message
      "\xBD\x06\x01\x00\x00\x00"                  // 103: 32 bits
      "\xC1\x06\x02\x00\x00\x00\x00\x00\x00\x00"  // 104: 64 bits
      "\xCB\x06\x08\x07\xCC\x06",                 // 105: a group with 1: 7
      34);
  ASSERT_TRUE(made.ParsePartialFromString(bytes));
  EXPECT_EQ(made.unknown_fields(), bytes);
  EXPECT_EQ(
      made.ShortDebugString(),
      "100: 5 101 { 1: 1 } 102: \"\\377\" 103: 0x00000001 104: 0x0000000000000002 105 { 1: 7 }");
  *made.mutable_unknown_fields() = "\xFF";  // not whole: what can be read is printed
  EXPECT_EQ(made.DebugString(), "");
}

}  // namespace
