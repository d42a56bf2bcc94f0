// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "wirecost/middleware/clock.hpp"

namespace wirecost::middleware {

/// When a message was complete, in nanoseconds.
struct Stamp {
  std::int64_t realtime = 0, monotonic = 0;

  static Stamp now() { return {now_ns(CLOCK_REALTIME), now_ns(CLOCK_MONOTONIC)}; }
};

struct Message {
  std::uint32_t channel = 0;
  Stamp received;
  /// When it was sent by its sender's account, by CLOCK_REALTIME; 0 where unknown.
  std::int64_t source_ns = 0;
  /// Messages of its channel that are missing directly before it, as far as numbers say.
  std::uint64_t missed = 0;
  /// Not initialized before reading, so a large one costs memory as it fills.
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
};

/// From any number of receiving threads to one that takes. Holds at most `max_bytes`; a message
/// that does not fit is dropped and counted, since waiting here would change what is recorded. The
/// next one of its channel has it among those that it missed.
class Queue {
 public:
  struct Count {
    /// All that came, what was dropped of them, and the bytes of all.
    std::uint64_t received = 0, dropped = 0, bytes = 0;
  };

  explicit Queue(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// False: dropped.
  bool put(Message message);
  /// Waits for the first message; empty when the time is over.
  std::vector<Message> take(std::size_t max_messages, std::chrono::nanoseconds timeout);
  std::map<std::uint32_t, Count> counts() const;

 private:
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Message> messages_;
  std::size_t held_bytes_ = 0;
  std::map<std::uint32_t, Count> counts_;
  /// Messages by channel that are missing before the next one.
  std::map<std::uint32_t, std::uint64_t> missing_;
};

}  // namespace wirecost::middleware
