// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "wirecost/middleware/dds/reader.hpp"

namespace wirecost::middleware {

/// A received message, its name, and the name of the message that it answers.
struct Envelope {
  Message message;
  SampleName own, answered;
};

/// Where requests, replies and announcements wait; holds at most `max_bytes` and counts the rest.
class Mailbox {
 public:
  explicit Mailbox(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void put(Envelope envelope);
  /// Waits for the first envelope; empty when the time is over.
  std::vector<Envelope> take(std::chrono::nanoseconds timeout);
  std::size_t dropped() const;

 private:
  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Envelope> envelopes_;
  std::size_t held_bytes_ = 0, dropped_ = 0;
};

}  // namespace wirecost::middleware
