// SPDX-License-Identifier: Apache-2.0
// A codec over classes with Protobuf's interface: Google's, and our façade with the same code.
#pragma once

#include "bench/notification/batch.hpp"

namespace wirecost::bench {

template <class Message>
struct ProtobufInterface {
  using Sent = Message;
  using Received = Message;

  static void fill(const NotificationValue& v, Message& m) {
    m.Clear();
    auto& id = *m.mutable_event_id();
    id.set_sender_id(v.event_id.sender_id);
    id.set_sequence_number(v.event_id.sequence_number);
    m.set_scope(v.scope);
    m.set_wire_schema(v.wire_schema);
    m.set_data(v.data);
    if (v.method) m.set_method(*v.method);
    for (const EventIdValue& from : v.causes) {
      auto& cause = *m.add_causes();
      cause.set_sender_id(from.sender_id);
      cause.set_sequence_number(from.sequence_number);
    }
    auto& meta = *m.mutable_meta_data();
    meta.set_create_time(v.create_time);
    meta.set_send_time(v.send_time);
    if (v.receive_time) meta.set_receive_time(*v.receive_time);
    if (v.deliver_time) meta.set_deliver_time(*v.deliver_time);
    for (const UserTimeValue& from : v.user_times) {
      auto& time = *meta.add_user_times();
      time.set_key(from.key);
      time.set_timestamp(from.timestamp);
    }
    for (const UserInfoValue& from : v.user_infos) {
      auto& info = *meta.add_user_infos();
      info.set_key(from.key);
      info.set_value(from.value);
    }
  }

  static std::size_t size(const Message& m) { return m.ByteSizeLong(); }

  static bool decode(std::span<const std::byte> in, Message& m) {
    return m.ParseFromArray(in.data(), static_cast<int>(in.size()));
  }

  static void visit(const Message& m, Sink& sink) {
    sink.bytes(m.event_id().sender_id());
    sink.number(m.event_id().sequence_number());
    sink.bytes(m.scope());
    sink.bytes(m.wire_schema());
    sink.bytes(m.data());
    if (m.has_method()) sink.bytes(m.method());
    for (const auto& cause : m.causes()) {
      sink.bytes(cause.sender_id());
      sink.number(cause.sequence_number());
    }
    const auto& meta = m.meta_data();
    for (const auto time :
         {meta.create_time(), meta.send_time(), meta.receive_time(), meta.deliver_time()})
      sink.number(static_cast<std::uint64_t>(time));
    for (const auto& time : meta.user_times()) {
      sink.bytes(time.key());
      sink.number(time.timestamp());
    }
    for (const auto& info : meta.user_infos()) {
      sink.bytes(info.key());
      sink.bytes(info.value());
    }
  }

  static NotificationValue value(const Message& m) {
    NotificationValue v;
    v.event_id = {m.event_id().sender_id(), m.event_id().sequence_number()};
    v.scope = m.scope();
    v.wire_schema = m.wire_schema();
    v.data = m.data();
    if (m.has_method()) v.method = m.method();
    for (const auto& cause : m.causes())
      v.causes.push_back({cause.sender_id(), cause.sequence_number()});
    const auto& meta = m.meta_data();
    v.create_time = meta.create_time();
    v.send_time = meta.send_time();
    if (meta.has_receive_time()) v.receive_time = meta.receive_time();
    if (meta.has_deliver_time()) v.deliver_time = meta.deliver_time();
    for (const auto& time : meta.user_times())
      v.user_times.push_back({time.key(), time.timestamp()});
    for (const auto& info : meta.user_infos()) v.user_infos.push_back({info.key(), info.value()});
    return v;
  }
};

}  // namespace wirecost::bench
