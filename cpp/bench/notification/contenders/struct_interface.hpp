// SPDX-License-Identifier: Apache-2.0
// What codecs over plain structs of the notification share, whoever wrote the structs: the fields
// have the same names. `Message` is read only here, or filled by `fill`.
#pragma once

#include <type_traits>

#include "bench/notification/batch.hpp"

namespace wirecost::bench {

// An absent value is what a wire without presence makes of it.
template <class T>
const T* if_present(const T& always) {
  return &always;
}
template <class Optional>
  requires requires(const Optional& o) { o.has_value(); }
auto if_present(const Optional& optional) -> decltype(&*optional) {
  return optional.has_value() ? &*optional : nullptr;
}

// A field that may be absent, to be written next.
template <class T>
T& present(T& always) {
  return always;
}
template <class Optional>
  requires requires(Optional& o) { o.overwrite(); }
auto& present(Optional& optional) {
  return optional.overwrite();
}

template <class Field, class T>
void assign(Field& field, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    field.assign(value.data(), value.size());
  } else {
    field = value;
  }
}

template <class Field, class T>
void assign_optional(Field& field, const std::optional<T>& value) {
  if (value) {
    assign(present(field), *value);
  } else if constexpr (requires { field.reset(); }) {
    field.reset();
  } else if constexpr (requires { field.clear(); }) {
    field.clear();
  } else {
    field = T{};
  }
}

template <class Message>
void fill_struct(const NotificationValue& v, Message& m) {
  assign(m.event_id.sender_id, v.event_id.sender_id);
  assign(m.event_id.sequence_number, v.event_id.sequence_number);
  assign(m.scope, v.scope);
  assign(m.wire_schema, v.wire_schema);
  assign(m.data, v.data);
  assign_optional(m.method, v.method);
  m.causes.resize(v.causes.size());
  for (std::size_t i = 0; i < v.causes.size(); ++i) {
    assign(m.causes[i].sender_id, v.causes[i].sender_id);
    assign(m.causes[i].sequence_number, v.causes[i].sequence_number);
  }
  auto& meta = present(m.meta_data);
  assign(meta.create_time, v.create_time);
  assign(meta.send_time, v.send_time);
  assign_optional(meta.receive_time, v.receive_time);
  assign_optional(meta.deliver_time, v.deliver_time);
  meta.user_times.resize(v.user_times.size());
  for (std::size_t i = 0; i < v.user_times.size(); ++i) {
    assign(meta.user_times[i].key, v.user_times[i].key);
    assign(meta.user_times[i].timestamp, v.user_times[i].timestamp);
  }
  meta.user_infos.resize(v.user_infos.size());
  for (std::size_t i = 0; i < v.user_infos.size(); ++i) {
    assign(meta.user_infos[i].key, v.user_infos[i].key);
    assign(meta.user_infos[i].value, v.user_infos[i].value);
  }
}

template <class Message>
void visit_struct(const Message& m, Sink& sink) {
  sink.bytes(m.event_id.sender_id);
  sink.number(m.event_id.sequence_number);
  sink.bytes(m.scope);
  sink.bytes(m.wire_schema);
  sink.bytes(m.data);
  if (const auto* method = if_present(m.method)) sink.bytes(*method);
  for (const auto& cause : m.causes) {
    sink.bytes(cause.sender_id);
    sink.number(cause.sequence_number);
  }
  const auto* meta = if_present(m.meta_data);
  if (meta == nullptr) return;
  sink.number(static_cast<std::uint64_t>(meta->create_time));
  sink.number(static_cast<std::uint64_t>(meta->send_time));
  if (const auto* time = if_present(meta->receive_time))
    sink.number(static_cast<std::uint64_t>(*time));
  if (const auto* time = if_present(meta->deliver_time))
    sink.number(static_cast<std::uint64_t>(*time));
  for (const auto& time : meta->user_times) {
    sink.bytes(time.key);
    sink.number(time.timestamp);
  }
  for (const auto& info : meta->user_infos) {
    sink.bytes(info.key);
    sink.bytes(info.value);
  }
}

template <class Message>
NotificationValue value_of_struct(const Message& m) {
  NotificationValue v;
  v.event_id = {std::string(std::string_view(m.event_id.sender_id)), m.event_id.sequence_number};
  v.scope = std::string_view(m.scope);
  v.wire_schema = std::string_view(m.wire_schema);
  v.data = std::string_view(m.data);
  if (const auto* method = if_present(m.method)) v.method = std::string(std::string_view(*method));
  for (const auto& cause : m.causes)
    v.causes.push_back({std::string(std::string_view(cause.sender_id)), cause.sequence_number});
  if (const auto* meta = if_present(m.meta_data)) {
    v.create_time = meta->create_time;
    v.send_time = meta->send_time;
    if (const auto* time = if_present(meta->receive_time)) v.receive_time = *time;
    if (const auto* time = if_present(meta->deliver_time)) v.deliver_time = *time;
    for (const auto& time : meta->user_times)
      v.user_times.push_back({std::string(std::string_view(time.key)), time.timestamp});
    for (const auto& info : meta->user_infos)
      v.user_infos.push_back(
          {std::string(std::string_view(info.key)), std::string(std::string_view(info.value))});
  }
  return v;
}

}  // namespace wirecost::bench
