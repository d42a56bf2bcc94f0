// SPDX-License-Identifier: Apache-2.0
// Messages that differ in every pass, so that nothing kept of an earlier one is right, and what
// reading them must add up to.
#pragma once

#include <random>

#include "bench/notification/contender.hpp"

namespace wirecost::bench {

/// Changes a byte and a number of each message; on every wire it keeps its size.
inline void alter(std::vector<NotificationValue>& values, std::mt19937_64& random) {
  for (NotificationValue& value : values) {
    std::string& id = value.event_id.sender_id;
    if (!id.empty()) id[random() % id.size()] = static_cast<char>(1 + random() % 255);
    value.event_id.sequence_number ^= random() % 128;  // a varint keeps its length
  }
}

/// Every field of a message, in the order in which contenders read.
inline void visit_value(const NotificationValue& v, Sink& sink) {
  sink.bytes(v.event_id.sender_id);
  sink.number(v.event_id.sequence_number);
  for (const std::string* text : {&v.scope, &v.wire_schema, &v.data}) sink.bytes(*text);
  if (v.method) sink.bytes(*v.method);
  for (const EventIdValue& cause : v.causes) {
    sink.bytes(cause.sender_id);
    sink.number(cause.sequence_number);
  }
  for (const std::int64_t time :
       {v.create_time, v.send_time, v.receive_time.value_or(0), v.deliver_time.value_or(0)})
    sink.number(static_cast<std::uint64_t>(time));
  for (const UserTimeValue& time : v.user_times) {
    sink.bytes(time.key);
    sink.number(time.timestamp);
  }
  for (const UserInfoValue& info : v.user_infos) {
    sink.bytes(info.key);
    sink.bytes(info.value);
  }
}

/// What a contender's reading of these messages adds up to.
inline std::uint64_t sum_of(std::span<const NotificationValue> values) {
  Sink sink;
  for (const NotificationValue& value : values) visit_value(value, sink);
  return sink.sum();
}

}  // namespace wirecost::bench
