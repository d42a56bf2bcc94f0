// SPDX-License-Identifier: Apache-2.0
// The content of the notification benchmark: plain values and their seeded generators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wirecost {

struct EventIdValue {
  std::string sender_id;
  std::uint32_t sequence_number = 0;
};

struct UserTimeValue {
  std::string key;
  std::uint64_t timestamp = 0;
};

struct UserInfoValue {
  std::string key;
  std::string value;
};

/// A notification; times in microseconds since 1970-01-01 UTC.
struct NotificationValue {
  EventIdValue event_id;
  std::string scope, wire_schema, data;
  std::optional<std::string> method;
  std::vector<EventIdValue> causes;
  std::int64_t create_time = 0, send_time = 0;
  std::optional<std::int64_t> receive_time, deliver_time;
  std::vector<UserTimeValue> user_times;
  std::vector<UserInfoValue> user_infos;
};

/// The ticket's message: seven byte strings of length `factor`, three small numbers, nothing else.
std::vector<NotificationValue> ticket_notifications(std::size_t factor, std::size_t count,
                                                    std::uint64_t seed);

/// What a running system sends: epoch times, 16-byte ids, some causes, user times and infos of
/// varied lengths. `factor` is the mean length of the data and of the infos' values.
std::vector<NotificationValue> realistic_notifications(std::size_t factor, std::size_t count,
                                                       std::uint64_t seed);

}  // namespace wirecost
