// SPDX-License-Identifier: Apache-2.0
#include "wirecost/message/notification.hpp"

#include <random>

namespace wirecost {
namespace {

constexpr std::size_t id_bytes = 16;                          // a UUID
constexpr std::int64_t epoch = 1'339'762'980'000'000;         // 2012-06-15, in microseconds
constexpr std::int64_t least_gap = 900, greatest_gap = 1100;  // between two events

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t between(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  bool half_of_the_time() { return between(0, 1) == 1; }
  /// Any bytes but zero: a DDS string, which is what cdr makes of them, cannot hold one.
  std::string bytes(std::size_t size) {
    std::string made(size, '\0');
    for (char& byte : made) byte = static_cast<char>(between(1, 255));
    return made;
  }
  std::string letters(std::size_t size) {
    std::string made(size, '\0');
    for (char& letter : made) letter = static_cast<char>('a' + between(0, 25));
    return made;
  }
  EventIdValue id() { return {bytes(id_bytes), static_cast<std::uint32_t>(between(0, 1'000'000))}; }

 private:
  std::mt19937_64 random_;
};

}  // namespace

std::vector<NotificationValue> ticket_notifications(std::size_t factor, std::size_t count,
                                                    std::uint64_t seed) {
  Generator random(seed);
  std::vector<NotificationValue> made(count);
  for (NotificationValue& n : made) {
    n.event_id = {random.letters(factor), static_cast<std::uint32_t>(random.between(1, 127))};
    n.scope = random.letters(factor);
    n.wire_schema = random.letters(factor);
    n.data = random.letters(factor);
    n.method = random.letters(factor);
    n.create_time = static_cast<std::int64_t>(random.between(1, 127));
    n.send_time = static_cast<std::int64_t>(random.between(1, 127));
    n.user_infos = {{random.letters(factor), random.letters(factor)}};
  }
  return made;
}

std::vector<NotificationValue> realistic_notifications(std::size_t factor, std::size_t count,
                                                       std::uint64_t seed) {
  Generator random(seed);
  std::vector<NotificationValue> made(count);
  std::int64_t now = epoch;
  for (NotificationValue& n : made) {
    now += static_cast<std::int64_t>(random.between(least_gap, greatest_gap));
    n.event_id = random.id();
    n.scope = "/" + random.letters(random.between(4, 12)) + "/" +
              random.letters(random.between(4, 20)) + "/";
    n.wire_schema = "." + random.letters(random.between(4, 24));
    n.data = random.bytes(random.between(0, 2 * factor));
    if (random.half_of_the_time()) n.method = random.letters(random.between(4, 8));
    n.causes.resize(random.between(0, 3));
    for (EventIdValue& cause : n.causes) cause = random.id();
    n.create_time = now;
    n.send_time = now + static_cast<std::int64_t>(random.between(10, 200));
    if (random.half_of_the_time()) {
      n.receive_time = n.send_time + static_cast<std::int64_t>(random.between(20, 500));
      n.deliver_time = *n.receive_time + static_cast<std::int64_t>(random.between(5, 50));
    }
    n.user_times.resize(random.between(0, 2));
    for (UserTimeValue& time : n.user_times)
      time = {random.letters(random.between(3, 12)), static_cast<std::uint64_t>(now)};
    n.user_infos.resize(random.between(0, 3));
    for (UserInfoValue& info : n.user_infos)
      info = {random.letters(random.between(3, 12)), random.letters(random.between(0, 2 * factor))};
  }
  return made;
}

}  // namespace wirecost
