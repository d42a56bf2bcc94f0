// SPDX-License-Identifier: Apache-2.0
#include "bench/transport/client.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace wirecost::bench::transport {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

using Clock = std::chrono::steady_clock;

constexpr std::int64_t prime_number = -1;
constexpr std::int64_t unreadable = -2;
/// Every byte was compared; number, end and size alone; other content.
constexpr std::int64_t whole = 1;
constexpr std::int64_t head_only = 0;
constexpr std::int64_t wrong = -1;
constexpr std::int64_t patience_ns = 100'000'000;
constexpr milliseconds prime_every{10};
constexpr milliseconds turn{20};
constexpr double second_ns = 1e9;
/// Messages per second for which there is room where they are sent as fast as possible.
constexpr double unpaced_rate = 200'000;
constexpr double unpaced_least_s = 0.5;

/// Null where the middleware's own default stands.
template <class T>
T value(const json& command, const char* key, const T& otherwise) {
  const auto found = command.find(key);
  if (found == command.end() || found->is_null()) return otherwise;
  return found->get<T>();
}

Settings settings_of(const json& command) {
  Settings settings{.transport = command.at("transport"),
                    .topic = command.at("topic"),
                    .address = value<std::string>(command, "address", ""),
                    .reliable = std::nullopt,
                    .queue = value(command, "queue", 0),
                    .bytes = command.at("size"),
                    .options = {}};
  if (const auto found = command.find("reliable"); found != command.end() && !found->is_null())
    settings.reliable = found->get<bool>();
  for (const auto& [name, option] : command.at("settings").items())
    settings.options[name] = option.is_string() ? option.get<std::string>() : option.dump();
  return settings;
}

}  // namespace

json Client::open(const json& command) {
  settings_ = settings_of(command);
  const std::string role = command.at("role");
  if (role == "publisher") {
    publisher_ = make_publisher(settings_);
  } else if (role == "subscriber") {
    subscriber_ = make_subscriber(settings_, [this](Bytes message) { take(message, now()); });
  } else {
    throw Failure("native clients publish and subscribe; use --client python for requests");
  }
  return {{"done", "open"}};
}

json Client::prime(const json& command) {
  const milliseconds time(std::int64_t(1000 * command.at("timeout").get<double>()));
  if (publisher_ == nullptr && subscriber_ == nullptr) throw Failure("`prime` before `open`");
  return {{"there", publisher_ != nullptr ? prime_subscribers(time) : wait_for_prime(time)}};
}

bool Client::prime_subscribers(milliseconds time) {
  Payload payload(least_bytes, 0);
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    publisher_->publish(payload.next(prime_number));
    if (const auto command = commands_.next(prime_every))
      return value<std::string>(*command, "do", "") == "finish";
  }
  return false;
}

bool Client::wait_for_prime(milliseconds time) {
  const auto end = Clock::now() + time;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(listening_.primed, false)) return true;
    }
    if (Clock::now() >= end) return false;
    subscriber_->poll(turn);
  }
}

json Client::run(const json& command) {
  if (publisher_ != nullptr) return publish(command);
  if (subscriber_ != nullptr) return listen(command);
  throw Failure("`run` before `open`");
}

json Client::publish(const json& command) {
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  const double seconds = value(command, "seconds", 0.0);
  const double rate = command.at("rate");
  const auto asked = value<std::int64_t>(command, "count", 0);
  const auto count = asked > 0 ? asked : never;
  const double period = rate > 0 ? second_ns / rate : 0;
  Payload payload(command.at("size"), command.at("run"));
  const double expected =
      rate > 0 ? seconds * rate : std::max(seconds, unpaced_least_s) * unpaced_rate;
  Records records(asked > 0 ? std::size_t(asked) : std::size_t(expected) + 1, 4);
  std::int64_t refused = 0;
  const std::int64_t start = start_of_run();
  const auto end = seconds > 0 ? start + std::int64_t(seconds * second_ns) : never;
  sleep_until(start);
  for (std::int64_t number = 0; number < count && !records.full(); ++number) {
    const auto due = period > 0 ? start + std::int64_t(double(number) * period) : now();
    if (due >= end) break;
    if (period > 0) {
      if (now() < due) sleep_until(due);
      // A publisher that cannot keep up does not go on for ever.
      if (end != never && now() > end + patience_ns) break;
    }
    const Bytes message = payload.next(number);
    const std::int64_t begin = now();
    const bool taken = publisher_->publish(message);
    const std::int64_t ended = now();
    records.add({number, due, begin, taken ? ended : -ended});
    refused += taken ? 0 : 1;
  }
  sleep_until(now() + std::min(std::int64_t(period), patience_ns));
  records.write(command.at("records"));
  return {
      {"done", "run"}, {"messages", records.size()}, {"refused", refused}, {"failure", nullptr}};
}

std::int64_t Client::start_of_run() {
  commands_.answer({{"ready", true}});
  const auto command = commands_.next();
  if (!command || value<std::string>(*command, "do", "") != "start")
    throw Failure("a publisher that is ready waits for `start`");
  return command->at("start_ns");
}

json Client::listen(const json& command) {
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t run = command.at("run");
    const auto check = value<std::int64_t>(command, "check", 0);
    const auto count = std::max<std::int64_t>(0, value<std::int64_t>(command, "count", 0));
    listening_.run = run;
    listening_.check = check;
    listening_.expected.emplace(command.at("size").get<std::size_t>(), run);
    listening_.records = Records(std::size_t(count), 3);
    listening_.seen.assign(most_rows, false);
    listening_.distinct = 0;
    hold_ns_ = value<std::int64_t>(command, "hold_ns", 0);
    listening_.recording = true;
  }
  commands_.answer({{"ready", true}});
  listen_until_finished();
  const std::lock_guard lock(mutex_);
  listening_.recording = false;
  listening_.records.write(command.at("records"));
  return {{"done", "run"},
          {"messages", listening_.records.size()},
          {"refused", 0},
          {"failure", nullptr}};
}

void Client::listen_until_finished() {
  std::optional<Finish> finish;
  std::size_t before = 0;
  while (true) {
    subscriber_->poll(turn);
    std::size_t rows = 0;
    {
      const std::lock_guard lock(mutex_);
      rows = listening_.records.size();
      if (listening_.records.full()) return;
      if (finish && listening_.distinct >= finish->count) return;
    }
    const auto time = Clock::now();
    if (finish && std::exchange(before, rows) != rows) finish->last_arrival = time;
    if (finish && time - finish->last_arrival >= finish->quiet) return;
    if (finish || !commands_.waiting()) continue;
    const auto next = commands_.next();
    if (!next || value<std::string>(*next, "do", "") != "finish") return;
    const auto count = std::max<std::int64_t>(0, value<std::int64_t>(*next, "count", 0));
    finish =
        Finish{std::size_t(count), std::chrono::duration<double>(value(*next, "quiet", 0.0)), time};
  }
}

void Client::take(Bytes message, std::int64_t received_ns) {
  const Bytes payload = payload_of(message);
  {
    const std::lock_guard lock(mutex_);
    if (listening_.recording && !listening_.records.full()) {
      record(payload, received_ns);
    } else if (const auto head = read_head(payload)) {
      listening_.primed = listening_.primed || head->number == prime_number;
    }
  }
  if (const std::int64_t hold = hold_ns_; hold > 0) sleep_until(received_ns + hold);
}

void Client::record(Bytes payload, std::int64_t received_ns) {
  Listening& to = listening_;
  const auto head = read_head(payload);
  if (!head) {
    to.records.add({unreadable, received_ns, wrong});
    return;
  }
  const auto number = head->number;
  if (head->run != to.run || number < 0) return;
  std::int64_t found = payload.size() == to.expected->size() ? head_only : wrong;
  if (to.check > 0 && number % to.check == 0)
    found = to.expected->equals(payload, number) ? whole : wrong;
  to.records.add({number, received_ns, found});
  if (number < std::int64_t{most_rows} && !to.seen[std::size_t(number)]) {
    to.seen[std::size_t(number)] = true;
    ++to.distinct;
  }
}

}  // namespace wirecost::bench::transport
