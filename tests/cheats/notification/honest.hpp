// SPDX-License-Identifier: Apache-2.0
// The ros1 wire, written and read as plainly as can be: the cheats of bench notification change one
// of its functions each.
#pragma once

#include <stdexcept>

#include "bench/notification/batch.hpp"
#include "bench/notification/contenders.hpp"

namespace wirecost::bench {

class Out {
 public:
  void number(auto value) { raw(&value, sizeof value); }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size()));
    raw(value.data(), value.size());
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void raw(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }
  std::string bytes_;
};

class In {
 public:
  explicit In(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  T number() {
    T value{};
    const auto from = take(sizeof value);
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto from = take(number<std::uint32_t>());
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (left_.size() < size) throw std::out_of_range("cut off");
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::span<const std::byte> left_;
};

struct Honest {
  using Sent = NotificationValue;
  using Received = NotificationValue;

  static void fill(const NotificationValue& value, Sent& sent) { sent = value; }
  static std::size_t size(const Sent& sent) { return bytes_of(sent).size(); }
  static void encode(const Sent& sent, std::span<std::byte> out) {
    std::memcpy(out.data(), bytes_of(sent).data(), out.size());
  }
  static bool decode(std::span<const std::byte> bytes, Received& m) {
    In in(bytes);
    const auto id = [&] {
      std::string name = in.text();
      return EventIdValue{std::move(name), in.number<std::uint32_t>()};
    };
    m = {};
    m.event_id = id();
    m.scope = in.text();
    m.wire_schema = in.text();
    m.data = in.text();
    m.method = in.text();
    m.causes.resize(in.number<std::uint32_t>());
    for (auto& cause : m.causes) cause = id();
    m.create_time = in.number<std::int64_t>();
    m.send_time = in.number<std::int64_t>();
    m.receive_time = in.number<std::int64_t>();
    m.deliver_time = in.number<std::int64_t>();
    m.user_times.resize(in.number<std::uint32_t>());
    for (auto& time : m.user_times) {
      time.key = in.text();
      time.timestamp = in.number<std::uint64_t>();
    }
    m.user_infos.resize(in.number<std::uint32_t>());
    for (auto& info : m.user_infos) {
      info.key = in.text();
      info.value = in.text();
    }
    return true;
  }
  static void visit(const Received& m, Sink& sink);
  static NotificationValue value(const Received& m) { return m; }

 protected:
  static std::string bytes_of(const Sent& m) {
    Out out;
    const auto id = [&](const EventIdValue& one) {
      out.text(one.sender_id);
      out.number(one.sequence_number);
    };
    id(m.event_id);
    for (const auto& text : {m.scope, m.wire_schema, m.data, m.method.value_or("")}) out.text(text);
    out.number(static_cast<std::uint32_t>(m.causes.size()));
    for (const auto& cause : m.causes) id(cause);
    for (const std::int64_t time :
         {m.create_time, m.send_time, m.receive_time.value_or(0), m.deliver_time.value_or(0)})
      out.number(time);
    out.number(static_cast<std::uint32_t>(m.user_times.size()));
    for (const auto& time : m.user_times) {
      out.text(time.key);
      out.number(time.timestamp);
    }
    out.number(static_cast<std::uint32_t>(m.user_infos.size()));
    for (const auto& info : m.user_infos) {
      out.text(info.key);
      out.text(info.value);
    }
    return out.bytes();
  }
};

/// Adds a codec under that name.
template <class Codec>
void add(Contenders& all, const char* name) {
  all.push_back(std::make_unique<Batch<Codec, NewObjects>>(
      About{name, "new", "ros1", "cheat", "owning, validating"}));
}

void add_hands_over(Contenders& all);
void add_keeps_bytes(Contenders& all);
void add_leaves_bytes(Contenders& all);
void add_never_looks(Contenders& all);
void add_shorter_message(Contenders& all);
void add_swaps_fields(Contenders& all);

}  // namespace wirecost::bench
