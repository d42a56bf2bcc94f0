// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/player.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "wirecost/middleware/clock.hpp"

namespace wirecost::middleware {
namespace {

// Two messages do not share a cache line.
constexpr std::size_t line = 64;
// How long a playing thread sleeps before it looks whether it was stopped.
constexpr std::int64_t nap_ns = 50'000'000;
// How long a reader whose side is full is left to read.
constexpr std::int64_t reading_ns = 20'000;
constexpr std::chrono::nanoseconds reading_interval{reading_ns};
// Thirty years: never, and far from overflow.
constexpr double far_ns = 1e18;
constexpr std::chrono::milliseconds waiting_interval{50};

std::size_t bytes_of(std::span<const PlayedMessage> messages) {
  std::size_t bytes = 0;
  for (const PlayedMessage& message : messages)
    bytes += (message.bytes.size() + line - 1) / line * line;
  return bytes;
}

void place(const Placement& placement) {
  // The default slack lets a sleeper be late by 50 µs.
  prctl(PR_SET_TIMERSLACK, 1UL);
  const auto refused = [](int error, const std::string& what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
  };
  if (placement.cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (*placement.cpu >= 0 && *placement.cpu < CPU_SETSIZE) CPU_SET(*placement.cpu, &cpus);
    refused(pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus),
            "the player cannot run on CPU " + std::to_string(*placement.cpu));
  }
  if (placement.fifo_priority) {
    sched_param parameters{};
    parameters.sched_priority = *placement.fifo_priority;
    refused(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters),
            "the player cannot run with SCHED_FIFO priority " +
                std::to_string(*placement.fifo_priority));
  }
}

}  // namespace

Player::Player(std::span<const PlayedMessage> messages, bool lock)
    : memory_(bytes_of(messages), lock) {
  if (!std::ranges::is_sorted(messages, {}, &PlayedMessage::time_ns))
    throw std::invalid_argument("messages must be in order of time");
  messages_.reserve(messages.size());
  std::byte* place = memory_.bytes().data();
  for (const PlayedMessage& message : messages) {
    std::ranges::copy(message.bytes, place);
    messages_.push_back({message.time_ns, message.sink, {place, message.bytes.size()}});
    place += (message.bytes.size() + line - 1) / line * line;
  }
}

void Player::check(std::span<Sink* const> sinks, const Schedule& schedule) const {
  if (std::isnan(schedule.rate) || schedule.rate <= 0)
    throw std::invalid_argument("the rate must be above 0");
  if (schedule.first > schedule.last || schedule.last > messages_.size()) {
    throw std::invalid_argument("there are messages 0 to " + std::to_string(messages_.size()) +
                                "; asked for are " + std::to_string(schedule.first) + " to " +
                                std::to_string(schedule.last));
  }
  if (schedule.spin_ns < 0) throw std::invalid_argument("spin_ns must not be negative");
  for (std::size_t i = schedule.first; i < schedule.last; ++i) {
    if (messages_[i].sink >= sinks.size())
      throw std::invalid_argument("message " + std::to_string(i) + " goes to sink " +
                                  std::to_string(messages_[i].sink) + " of " +
                                  std::to_string(sinks.size()));
  }
}

void Player::prepare(std::span<Sink* const> sinks, const Schedule& schedule) const {
  std::vector<std::size_t> largest(sinks.size());
  for (std::size_t i = schedule.first; i < schedule.last; ++i)
    largest[messages_[i].sink] = std::max(largest[messages_[i].sink], messages_[i].bytes.size());
  for (std::size_t i = 0; i < sinks.size(); ++i) sinks[i]->prepare(largest[i]);
}

std::vector<Sent> Player::play(std::span<Sink* const> sinks, const Schedule& schedule,
                               const Placement& placement, const std::function<bool()>& waiting) {
  check(sinks, schedule);
  prepare(sinks, schedule);
  stopped_ = false;
  std::vector<Sent> sent(schedule.last - schedule.first);
  std::promise<std::size_t> promise;
  std::future<std::size_t> count = promise.get_future();
  std::thread thread([&] {
    try {
      place(placement);
      promise.set_value(send_all(sinks, schedule, sent));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  });
  // Until a time of the system's clock: GCC 8's libstdc++ has no other, and a jump is but one turn
  // more.
  while (count.wait_until(std::chrono::system_clock::now() + waiting_interval) !=
         std::future_status::ready)
    if (!waiting()) stop();
  thread.join();
  sent.resize(count.get());
  return sent;
}

/// Messages whose sinks have not sent all of them; at most one a sink.
class Player::Unfinished {
 public:
  explicit Unfinished(std::size_t sinks) { messages_.reserve(sinks); }

  void add(Sink& sink, Sent& sent) { messages_.push_back({&sink, &sent}); }

  /// A short while of each; none: there is nothing to be done now.
  Progress resume() {
    Progress best = Progress::none;
    std::erase_if(messages_, [&](const Message& message) {
      const Progress progress = resumed(message);
      best = std::max(best, progress);
      return progress == Progress::all;
    });
    return best;
  }
  /// Sends what the sink has left.
  void finish(const Sink& sink) {
    const auto found = std::ranges::find(messages_, &sink, &Message::sink);
    if (found == messages_.end()) return;
    for (;;) {
      const Progress progress = resumed(*found);
      if (progress == Progress::all) break;
      if (progress == Progress::none) std::this_thread::sleep_for(reading_interval);
    }
    messages_.erase(found);
  }
  void finish() {
    while (!messages_.empty()) finish(*messages_.front().sink);
  }
  bool empty() const { return messages_.empty(); }

 private:
  struct Message {
    Sink* sink;
    Sent* sent;
  };

  static Progress resumed(const Message& message) {
    const Progress progress = message.sink->resume();
    if (progress == Progress::all) message.sent->after_ns = now_ns(CLOCK_MONOTONIC);
    return progress;
  }

  std::vector<Message> messages_;
};

std::size_t Player::send_all(std::span<Sink* const> sinks, const Schedule& schedule,
                             std::span<Sent> sent) const {
  if (sent.empty()) return 0;
  const std::int64_t origin = schedule.origin_ns.value_or(now_ns(CLOCK_MONOTONIC));
  const std::int64_t start = messages_[schedule.first].time_ns;
  Unfinished unfinished(sinks.size());
  std::size_t count = 0;
  for (Sent& each : sent) {
    const PlayedMessage& message = messages_[schedule.first + count];
    // Unsigned, since a recording may claim times that lie further apart than the type reaches.
    const auto since_start = static_cast<double>(static_cast<std::uint64_t>(message.time_ns) -
                                                 static_cast<std::uint64_t>(start));
    each.due_ns = origin + std::llround(std::min(since_start / schedule.rate, far_ns));
    const auto ready = wait_until(each.due_ns, schedule.spin_ns, unfinished);
    if (!ready) break;
    Sink& sink = *sinks[message.sink];
    unfinished.finish(sink);
    each.ready_ns = *ready;
    each.before_ns = now_ns(CLOCK_MONOTONIC);
    const Progress progress = sink.begin(message.bytes);
    each.after_ns = now_ns(CLOCK_MONOTONIC);
    if (progress != Progress::all) unfinished.add(sink, each);
    ++count;
  }
  unfinished.finish();
  return count;
}

std::optional<std::int64_t> Player::wait_until(std::int64_t due_ns, std::int64_t spin_ns,
                                               Unfinished& unfinished) const {
  std::optional<std::int64_t> ready;
  for (;;) {
    if (stopped_) return std::nullopt;
    const std::int64_t now = now_ns(CLOCK_MONOTONIC);
    if (!ready && due_ns - now <= spin_ns) ready = now;
    if (now >= due_ns) return ready;
    if (!unfinished.empty() && unfinished.resume() != Progress::none) continue;
    if (ready) continue;
    const std::int64_t nap = unfinished.empty() ? nap_ns : reading_ns;
    const std::int64_t wake = std::min(due_ns - spin_ns, now + nap);
    const timespec until{.tv_sec = wake / nanoseconds_a_second,
                         .tv_nsec = wake % nanoseconds_a_second};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
}

}  // namespace wirecost::middleware
