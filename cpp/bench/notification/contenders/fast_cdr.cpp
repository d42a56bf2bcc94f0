// SPDX-License-Identifier: Apache-2.0
// eProsima Fast-CDR, used as its generator's code uses it.
#include <fastcdr/Cdr.h>

#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/plain_structs.hpp"
#include "bench/notification/contenders/struct_interface.hpp"

namespace wirecost::bench {
namespace {

using eprosima::fastcdr::Cdr;

constexpr std::size_t header_bytes = 4;

void write(Cdr& cdr, const plain::EventId& m) { cdr << m.sender_id << m.sequence_number; }
void write(Cdr& cdr, const plain::UserTime& m) { cdr << m.key << m.timestamp; }
void write(Cdr& cdr, const plain::UserInfo& m) { cdr << m.key << m.value; }
void read(Cdr& cdr, plain::EventId& m) { cdr >> m.sender_id >> m.sequence_number; }
void read(Cdr& cdr, plain::UserTime& m) { cdr >> m.key >> m.timestamp; }
void read(Cdr& cdr, plain::UserInfo& m) { cdr >> m.key >> m.value; }

template <class T>
void write_all(Cdr& cdr, const std::vector<T>& values) {
  cdr << static_cast<std::uint32_t>(values.size());
  for (const T& value : values) write(cdr, value);
}

template <class T>
bool read_all_of(Cdr& cdr, std::vector<T>& values, std::size_t most) {
  std::uint32_t count = 0;
  cdr >> count;
  if (count > most) return false;
  values.resize(count);
  for (T& value : values) read(cdr, value);
  return true;
}

std::size_t string_end(std::size_t at, const std::string& value) {
  return at + Cdr::alignment(at, 4) + 4 + value.size() + 1;
}
std::size_t number_end(std::size_t at, std::size_t width) {
  return at + Cdr::alignment(at, width) + width;
}

struct FastCdr {
  using Sent = plain::Notification;
  using Received = plain::Notification;

  static void fill(const NotificationValue& v, Sent& m) { fill_struct(v, m); }

  static std::size_t size(const Sent& m) {
    std::size_t at = number_end(string_end(0, m.event_id.sender_id), 4);
    for (const std::string* text : {&m.scope, &m.wire_schema, &m.data, &m.method})
      at = string_end(at, *text);
    at = number_end(at, 4);
    for (const auto& cause : m.causes) at = number_end(string_end(at, cause.sender_id), 4);
    for (int i = 0; i < 4; ++i) at = number_end(at, 8);
    at = number_end(at, 4);
    for (const auto& time : m.meta_data.user_times) at = number_end(string_end(at, time.key), 8);
    at = number_end(at, 4);
    for (const auto& info : m.meta_data.user_infos)
      at = string_end(string_end(at, info.key), info.value);
    return at + header_bytes;
  }

  static void encode(const Sent& m, std::span<std::byte> out) {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(out.data()), out.size());
    Cdr cdr(buffer, Cdr::LITTLE_ENDIANNESS, Cdr::DDS_CDR);
    cdr.serialize_encapsulation();
    write(cdr, m.event_id);
    cdr << m.scope << m.wire_schema << m.data << m.method;
    write_all(cdr, m.causes);
    const plain::EventMetaData& meta = m.meta_data;
    cdr << meta.create_time << meta.send_time << meta.receive_time << meta.deliver_time;
    write_all(cdr, meta.user_times);
    write_all(cdr, meta.user_infos);
  }

  static bool decode(std::span<const std::byte> in, Received& m) {
    // The buffer is only read, but its type has no constant form.
    auto* const data = reinterpret_cast<char*>(const_cast<std::byte*>(in.data()));
    eprosima::fastcdr::FastBuffer buffer(data, in.size());
    Cdr cdr(buffer, Cdr::LITTLE_ENDIANNESS, Cdr::DDS_CDR);
    try {
      cdr.read_encapsulation();
      read(cdr, m.event_id);
      cdr >> m.scope >> m.wire_schema >> m.data >> m.method;
      if (!read_all_of(cdr, m.causes, in.size())) return false;
      plain::EventMetaData& meta = m.meta_data;
      cdr >> meta.create_time >> meta.send_time >> meta.receive_time >> meta.deliver_time;
      return read_all_of(cdr, meta.user_times, in.size()) &&
             read_all_of(cdr, meta.user_infos, in.size());
    } catch (const eprosima::fastcdr::exception::Exception&) {
      return false;
    }
  }

  static void visit(const Received& m, Sink& sink) { visit_struct(m, sink); }
  static NotificationValue value(const Received& m) { return value_of_struct(m); }
};

About about(const char* mode) {
  return {"fast-cdr", mode, "cdr", "Fast-CDR " FASTCDR_VERSION_STR, "owning, validating"};
}

}  // namespace

void add_fast_cdr(Contenders& all) {
  all.push_back(std::make_unique<Batch<FastCdr, NewObjects>>(about("new")));
  all.push_back(std::make_unique<Batch<FastCdr, ReusedObjects>>(about("reused")));
}

}  // namespace wirecost::bench
