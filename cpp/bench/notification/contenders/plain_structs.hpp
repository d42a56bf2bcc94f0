// SPDX-License-Identifier: Apache-2.0
// The notification as anyone would write it down in C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wirecost::bench::plain {

struct EventId {
  std::string sender_id;
  std::uint32_t sequence_number = 0;
};
struct UserTime {
  std::string key;
  std::uint64_t timestamp = 0;
};
struct UserInfo {
  std::string key, value;
};
struct EventMetaData {
  std::int64_t create_time = 0, send_time = 0, receive_time = 0, deliver_time = 0;
  std::vector<UserTime> user_times;
  std::vector<UserInfo> user_infos;
};
struct Notification {
  EventId event_id;
  std::string scope, wire_schema, data, method;
  std::vector<EventId> causes;
  EventMetaData meta_data;
};

}  // namespace wirecost::bench::plain
