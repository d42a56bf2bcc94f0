// SPDX-License-Identifier: Apache-2.0
// The floor of the ros1 wire: what a person writes who knows this one message, over the fastest
// strings there are here.
#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/struct_interface.hpp"
#include "wirecost/support_holders.hpp"

namespace wirecost::bench {
namespace {

/// Elements of lists are cleared, so that they keep their storage when used again.
template <class Memory>
struct Structs {
  using String = BasicString<Memory>;
  template <class T>
  using Sequence = wirecost::Sequence<T, Memory>;

  struct EventId {
    String sender_id;
    std::uint32_t sequence_number = 0;
    void clear() {
      sender_id.clear();
      sequence_number = 0;
    }
  };
  struct UserTime {
    String key;
    std::uint64_t timestamp = 0;
    void clear() {
      key.clear();
      timestamp = 0;
    }
  };
  struct UserInfo {
    String key, value;
    void clear() {
      key.clear();
      value.clear();
    }
  };
  struct EventMetaData {
    std::int64_t create_time = 0, send_time = 0, receive_time = 0, deliver_time = 0;
    Sequence<UserTime> user_times;
    Sequence<UserInfo> user_infos;
  };
  struct Notification {
    EventId event_id;
    String scope, wire_schema, data, method;
    Sequence<EventId> causes;
    EventMetaData meta_data;
  };
};

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
    copy_bytes(p_, value.data(), value.size());
    p_ += value.size();
  }

 private:
  std::byte* p_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : p_(in.data()), end_(p_ + in.size()) {}
  template <class T>
  bool number(T& value) {
    if (static_cast<std::size_t>(end_ - p_) < sizeof value) return false;
    std::memcpy(&value, p_, sizeof value);
    p_ += sizeof value;
    return true;
  }
  template <class String>
  bool string(String& value) {
    std::uint32_t size = 0;
    if (!number(size) || static_cast<std::size_t>(end_ - p_) < size) return false;
    value.assign(reinterpret_cast<const char*>(p_), size);
    p_ += size;
    return true;
  }
  /// Makes room for elements of at least `least` bytes each.
  template <class Sequence>
  bool array(Sequence& values, std::size_t least) {
    std::uint32_t count = 0;
    if (!number(count) || static_cast<std::size_t>(end_ - p_) / least < count) return false;
    values.overwrite(count);
    return true;
  }
  bool at_end() const { return p_ == end_; }

 private:
  const std::byte* p_;
  const std::byte* end_;
};

/// `Memory`: of wirecost/support_memory.hpp.
template <class Memory>
struct HandWritten {
  using Sent = typename Structs<Memory>::Notification;
  using Received = Sent;

  static void fill(const NotificationValue& v, Sent& m) { fill_struct(v, m); }

  static std::size_t size(const Sent& m) {
    constexpr std::size_t fixed = 10 * 4 + 4 * 8 - 2 * 4;  // five strings, number, times, counts
    std::size_t n = fixed + m.event_id.sender_id.size() + m.scope.size() + m.wire_schema.size() +
                    m.data.size() + m.method.size() + 4;
    for (const auto& cause : m.causes) n += 8 + cause.sender_id.size();
    for (const auto& time : m.meta_data.user_times) n += 12 + time.key.size();
    for (const auto& info : m.meta_data.user_infos) n += 8 + info.key.size() + info.value.size();
    return n;
  }

  static void encode(const Sent& m, std::span<std::byte> out) {
    Writer w(out.data());
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
  }

  static bool decode(std::span<const std::byte> in, Received& m) {
    Reader r(in);
    auto& meta = m.meta_data;
    bool good = r.string(m.event_id.sender_id) && r.number(m.event_id.sequence_number) &&
                r.string(m.scope) && r.string(m.wire_schema) && r.string(m.data) &&
                r.string(m.method) && r.array(m.causes, 8);
    if (!good) return false;
    for (auto& cause : m.causes)
      if (!r.string(cause.sender_id) || !r.number(cause.sequence_number)) return false;
    good = r.number(meta.create_time) && r.number(meta.send_time) && r.number(meta.receive_time) &&
           r.number(meta.deliver_time) && r.array(meta.user_times, 12);
    if (!good) return false;
    for (auto& time : meta.user_times)
      if (!r.string(time.key) || !r.number(time.timestamp)) return false;
    if (!r.array(meta.user_infos, 8)) return false;
    for (auto& info : meta.user_infos)
      if (!r.string(info.key) || !r.string(info.value)) return false;
    return r.at_end();
  }

  static void visit(const Received& m, Sink& sink) { visit_struct(m, sink); }
  static NotificationValue value(const Received& m) { return value_of_struct(m); }
};

About about(const char* mode) {
  return {"hand-written", mode, "ros1", "none", "owning, validating; a floor"};
}

}  // namespace

void add_hand_written(Contenders& all) {
  all.push_back(std::make_unique<Batch<HandWritten<Plain>, NewObjects>>(about("new")));
  all.push_back(std::make_unique<Batch<HandWritten<Recycled>, NewObjects>>(about("recycled")));
  all.push_back(std::make_unique<Batch<HandWritten<Plain>, ReusedObjects>>(about("reused")));
}

}  // namespace wirecost::bench
