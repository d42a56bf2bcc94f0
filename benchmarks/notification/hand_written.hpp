// SPDX-License-Identifier: Apache-2.0
// The floor of the ros1 wire: what a person writes who knows this one message, over our holders.
#include <cstring>
#include <stdexcept>

namespace hand_written {

using Message = wire::rsb_msgs::Notification;

class Writer {
 public:
  explicit Writer(std::byte* out) : p_(out) {}
  template <class T>
  void number(T value) {
    std::memcpy(p_, &value, sizeof value);
    p_ += sizeof value;
  }
  void string(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    wirecost::copy_bytes(p_, value.data(), value.size());
    p_ += value.size();
  }

 private:
  std::byte* p_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : p_(in.data()), end_(p_ + in.size()) {}
  template <class T>
  void number(T& value) {
    need(sizeof value);
    std::memcpy(&value, p_, sizeof value);
    p_ += sizeof value;
  }
  template <class String>
  void string(String& value) {
    std::uint32_t size = 0;
    number(size);
    need(size);
    value.assign(reinterpret_cast<const char*>(p_), size);
    p_ += size;
  }
  /// Makes room for elements of at least `least` bytes each.
  template <class Sequence>
  void array(Sequence& values, std::size_t least) {
    std::uint32_t count = 0;
    number(count);
    need(count * least);
    values.overwrite(count);
  }
  bool at_end() const { return p_ == end_; }

 private:
  void need(std::size_t size) const {
    if (static_cast<std::size_t>(end_ - p_) < size) throw std::out_of_range("it is cut off");
  }

  const std::byte* p_;
  const std::byte* end_;
};

inline std::size_t size(const Message& m) {
  constexpr std::size_t fixed = 5 * 4 + 4 + 3 * 4 + 4 * 8;  // texts, a number, counts, times
  std::size_t n = fixed + m.event_id.sender_id.size() + m.scope.size() + m.wire_schema.size() +
                  m.data.size() + m.method.size();
  for (const auto& cause : m.causes) n += 8 + cause.sender_id.size();
  for (const auto& time : m.meta_data.user_times) n += 12 + time.key.size();
  for (const auto& info : m.meta_data.user_infos) n += 8 + info.key.size() + info.value.size();
  return n;
}

}  // namespace hand_written

struct Contender {
  using Message = hand_written::Message;

  static std::span<const std::byte> encode(const Message& m, std::span<std::byte> buffer) {
    const std::size_t size = hand_written::size(m);
    if (size > buffer.size()) throw std::length_error("its buffer is too small");
    hand_written::Writer w(buffer.data());
    w.string(m.event_id.sender_id);
    w.number(m.event_id.sequence_number);
    w.string(m.scope);
    w.string(m.wire_schema);
    w.string(m.data);
    w.string(m.method);
    w.number(static_cast<std::uint32_t>(m.causes.size()));
    for (const auto& cause : m.causes) {
      w.string(cause.sender_id);
      w.number(cause.sequence_number);
    }
    const auto& meta = m.meta_data;
    w.number(meta.create_time);
    w.number(meta.send_time);
    w.number(meta.receive_time);
    w.number(meta.deliver_time);
    w.number(static_cast<std::uint32_t>(meta.user_times.size()));
    for (const auto& time : meta.user_times) {
      w.string(time.key);
      w.number(time.timestamp);
    }
    w.number(static_cast<std::uint32_t>(meta.user_infos.size()));
    for (const auto& info : meta.user_infos) {
      w.string(info.key);
      w.string(info.value);
    }
    return buffer.first(size);
  }

  static void decode(std::span<const std::byte> bytes, Message& m) {
    hand_written::Reader r(bytes);
    auto& meta = m.meta_data;
    r.string(m.event_id.sender_id);
    r.number(m.event_id.sequence_number);
    r.string(m.scope);
    r.string(m.wire_schema);
    r.string(m.data);
    r.string(m.method);
    r.array(m.causes, 8);
    for (auto& cause : m.causes) {
      r.string(cause.sender_id);
      r.number(cause.sequence_number);
    }
    r.number(meta.create_time);
    r.number(meta.send_time);
    r.number(meta.receive_time);
    r.number(meta.deliver_time);
    r.array(meta.user_times, 12);
    for (auto& time : meta.user_times) {
      r.string(time.key);
      r.number(time.timestamp);
    }
    r.array(meta.user_infos, 8);
    for (auto& info : meta.user_infos) {
      r.string(info.key);
      r.string(info.value);
    }
    if (!r.at_end()) throw std::out_of_range("it has bytes too many");
  }
};
