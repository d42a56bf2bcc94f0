// SPDX-License-Identifier: Apache-2.0
// Commands of whoever drives the client: one JSON object a line, read by a thread of its own, so
// that a running client learns of the next one without a system call.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace wirecost::bench::transport {

class Commands {
 public:
  /// Takes standard output for the answers; what libraries print goes to standard error.
  Commands();

  /// The next command; none when standard input has ended.
  std::optional<nlohmann::json> next();
  /// The next command if it comes within the time.
  std::optional<nlohmann::json> next(std::chrono::milliseconds time);
  /// Whether `next` would return at once.
  [[nodiscard]] bool waiting() const { return waiting_.load(std::memory_order_relaxed); }

  void answer(const nlohmann::json& answer);

 private:
  void read();

  int out_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<nlohmann::json> commands_;
  bool ended_ = false;
  std::atomic<bool> waiting_ = false;
};

}  // namespace wirecost::bench::transport
