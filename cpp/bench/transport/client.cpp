// SPDX-License-Identifier: Apache-2.0
#include "bench/transport/client.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

namespace wirecost::bench::transport {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

using Clock = std::chrono::steady_clock;

constexpr std::int64_t prime_number = -1;
constexpr std::int64_t patience_ns = 100'000'000;
constexpr milliseconds prime_every{10};
constexpr milliseconds turn{20};
constexpr milliseconds most_for_reply{5000};
constexpr milliseconds most_for_first_reply{500};
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
  // The end before leaves first: some middlewares let a process join a domain once.
  publisher_.reset();
  subscriber_.reset();
  const std::string role = command.at("role");
  if (role == "publisher") {
    publisher_ = make_publisher(settings_);
  } else if (role == "subscriber") {
    subscriber_ = make_subscriber(settings_, [this](Bytes message) { take(message, now()); });
  } else if (role == "requester") {
    requester_ = make_requester(settings_);
  } else if (role == "replier") {
    answers_ = true;
    subscriber_ = make_replier(settings_, [this](Bytes request, const auto& answer) {
      const auto received_ns = now();
      answer();
      take(request, received_ns);
    });
  } else {
    throw Failure("'" + role + "' is no role");
  }
  return {{"done", "open"}};
}

json Client::prime(const json& command) {
  const milliseconds time(std::int64_t(1000 * command.at("timeout").get<double>()));
  if (publisher_ != nullptr) return {{"there", prime_subscribers(time)}};
  if (requester_ != nullptr) return {{"there", prime_replier(time)}};
  if (subscriber_ == nullptr) throw Failure("`prime` before `open`");
  return {{"there", answers_ ? answer_primes(time) : wait_for_prime(time)}};
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

bool Client::prime_replier(milliseconds time) {
  Payload payload(least_bytes, 0);
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    if (requester_->ask(payload.next(prime_number), most_for_first_reply, [](Bytes) {}))
      return true;
    std::this_thread::sleep_for(prime_every);  // where nobody answers it returns at once
  }
  return false;
}

bool Client::answer_primes(milliseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    subscriber_->poll(prime_every);
    if (!commands_.waiting()) continue;
    const auto command = commands_.next();
    return command && value<std::string>(*command, "do", "") == "finish";
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
  if (publisher_ != nullptr || requester_ != nullptr) return send(command);
  if (subscriber_ != nullptr) return listen(command);
  throw Failure("`run` before `open`");
}

json Client::send(const json& command) {
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  const double seconds = value(command, "seconds", 0.0);
  const double rate = command.at("rate");
  const auto asked = value<std::int64_t>(command, "count", 0);
  const auto count = asked > 0 ? asked : never;
  const double period = rate > 0 ? second_ns / rate : 0;
  Payload payload(command.at("size"), command.at("run"));
  Check check(command.at("size"), command.at("run"), value<std::int64_t>(command, "check", 0));
  bool same = true;
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
    const std::int64_t ended =
        requester_ != nullptr ? ask(message, number, check, same) : publish(message);
    records.add({number, due, begin, ended});
    refused += ended < 0 ? 1 : 0;
  }
  sleep_until(now() + std::min(std::int64_t(period), patience_ns));
  records.write(command.at("records"));
  json done{
      {"done", "run"}, {"messages", records.size()}, {"refused", refused}, {"failure", nullptr}};
  if (!same) done["failure"] = "a reply has another content than its request";
  return done;
}

std::int64_t Client::publish(Bytes message) {
  const bool taken = publisher_->publish(message);
  const std::int64_t ended = now();
  return taken ? ended : -ended;
}

std::int64_t Client::ask(Bytes request, std::int64_t number, Check& check, bool& same) {
  std::int64_t answered = 0;
  requester_->ask(request, most_for_reply, [&](Bytes reply) {
    answered = now();
    const auto checked = check(payload_of(reply));
    same = same && checked && checked->number == number && checked->found != wrong;
  });
  return answered;
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
    const auto count = std::max<std::int64_t>(0, value<std::int64_t>(command, "count", 0));
    listening_.check.emplace(command.at("size").get<std::size_t>(),
                             command.at("run").get<std::uint64_t>(),
                             value<std::int64_t>(command, "check", 0));
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
  const auto checked = (*to.check)(payload);
  if (!checked) return;
  const auto number = checked->number;
  to.records.add({number, received_ns, checked->found});
  if (number >= 0 && number < std::int64_t{most_rows} && !to.seen[std::size_t(number)]) {
    to.seen[std::size_t(number)] = true;
    ++to.distinct;
  }
}

}  // namespace wirecost::bench::transport
