// SPDX-License-Identifier: Apache-2.0
#include "bench/notification/canonical.hpp"

namespace wirecost::bench {

std::string hex(const void* data, std::size_t size) {
  constexpr const char* digits = "0123456789abcdef";
  const auto* const bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve(2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4U];
    text += digits[bytes[i] & 15U];
  }
  return text;
}

namespace {

std::string hex(const std::string& bytes) { return bench::hex(bytes.data(), bytes.size()); }

std::string id(const EventIdValue& value) {
  return hex(value.sender_id) + ":" + std::to_string(value.sequence_number);
}

}  // namespace

std::string canonical(const NotificationValue& v) {
  std::string text = id(v.event_id) + " " + hex(v.scope) + " " + hex(v.wire_schema) + " " +
                     hex(v.data) + " " + hex(v.method.value_or("")) + " [";
  for (const EventIdValue& cause : v.causes) text += id(cause) + ",";
  text += "]";
  for (const std::int64_t time :
       {v.create_time, v.send_time, v.receive_time.value_or(0), v.deliver_time.value_or(0)})
    text += " " + std::to_string(time);
  text += " [";
  for (const UserTimeValue& time : v.user_times)
    text += hex(time.key) + ":" + std::to_string(time.timestamp) + ",";
  text += "] [";
  for (const UserInfoValue& info : v.user_infos)
    text += hex(info.key) + ":" + hex(info.value) + ",";
  return text + "]";
}

}  // namespace wirecost::bench
