// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "wirecost/middleware/memory_block.hpp"
#include "wirecost/middleware/sink.hpp"

namespace wirecost::middleware {

struct PlayedMessage {
  std::int64_t time_ns = 0;
  std::size_t sink = 0;
  std::span<const std::byte> bytes;
};

/// What happened to one message, by CLOCK_MONOTONIC in nanoseconds. `ready_ns`: when the thread was
/// done with the message before and had slept enough; what passed from there to the later of due
/// and before was spent spinning.
struct Sent {
  std::int64_t due_ns = 0, ready_ns = 0, before_ns = 0, after_ns = 0;
};

struct Schedule {
  /// Times are divided by it; infinite: all are due at once.
  double rate = 1;
  /// The messages that are played: from `first` up to and without `last`.
  std::size_t first = 0, last = 0;
  /// When `first` is due, by CLOCK_MONOTONIC; none: at once.
  std::optional<std::int64_t> origin_ns = std::nullopt;
  /// How long before a message is due sleeping ends and spinning begins.
  std::int64_t spin_ns = 0;
};

/// Where and how the playing thread runs; what is not given is left to the kernel.
struct Placement {
  std::optional<int> cpu = std::nullopt;
  std::optional<int> fifo_priority = std::nullopt;
};

/// Messages in one block of touched memory, sent at their times by one thread. A large one that is
/// still being sent holds up those of its own sink only.
class Player {
 public:
  /// In order of time. The bytes are copied.
  Player(std::span<const PlayedMessage> messages, bool lock);

  /// Sends from a thread of its own and returns when that has ended. `waiting` is called now and
  /// then meanwhile, on the caller's thread; false ends the playing, as `stop` does.
  /// Throws std::invalid_argument of a schedule that does not fit the messages, and
  /// std::system_error where the placement is refused.
  std::vector<Sent> play(std::span<Sink* const> sinks, const Schedule& schedule,
                         const Placement& placement, const std::function<bool()>& waiting);
  /// Ends what is playing, from any thread.
  void stop() { stopped_ = true; }

  std::size_t size() const { return messages_.size(); }
  bool locked() const { return memory_.locked(); }

 private:
  void check(std::span<Sink* const> sinks, const Schedule& schedule) const;
  void prepare(std::span<Sink* const> sinks, const Schedule& schedule) const;
  std::size_t send_all(std::span<Sink* const> sinks, const Schedule& schedule,
                       std::span<Sent> sent) const;
  class Unfinished;
  /// When sleeping ended; none: stopped. Meanwhile goes on with what is unfinished.
  std::optional<std::int64_t> wait_until(std::int64_t due_ns, std::int64_t spin_ns,
                                         Unfinished& unfinished) const;

  MemoryBlock memory_;
  std::vector<PlayedMessage> messages_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace wirecost::middleware
