// SPDX-License-Identifier: Apache-2.0
// One end of a transport, driven by commands: the same for all middlewares.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/transport/commands.hpp"
#include "bench/transport/middleware.hpp"
#include "bench/transport/payload.hpp"
#include "bench/transport/records.hpp"

namespace wirecost::bench::transport {

/// Its methods answer one command each and throw Failure.
class Client {
 public:
  explicit Client(Commands& commands) : commands_(commands) {}

  nlohmann::json open(const nlohmann::json& command);
  nlohmann::json prime(const nlohmann::json& command);
  nlohmann::json run(const nlohmann::json& command);

 private:
  /// What a subscriber does with messages, which may come in other threads.
  struct Listening {
    std::uint64_t run = 0;
    std::int64_t check = 0;
    std::optional<Payload> expected;
    Records records{0, 3};
    /// By number.
    std::vector<bool> seen;
    std::size_t distinct = 0;
    bool primed = false;
    bool recording = false;
  };
  /// After ``finish``.
  struct Finish {
    std::size_t count;
    std::chrono::duration<double> quiet;
    std::chrono::steady_clock::time_point last_arrival;
  };

  nlohmann::json publish(const nlohmann::json& command);
  /// Says that all is made, and waits to be told when the first message is due.
  std::int64_t start_of_run();
  nlohmann::json listen(const nlohmann::json& command);
  bool prime_subscribers(std::chrono::milliseconds time);
  bool wait_for_prime(std::chrono::milliseconds time);
  void listen_until_finished();
  /// In whatever thread, at `received_ns`.
  void take(Bytes message, std::int64_t received_ns);
  void record(Bytes payload, std::int64_t received_ns);

  Commands& commands_;
  Settings settings_;
  std::unique_ptr<Publisher> publisher_;
  std::mutex mutex_;
  Listening listening_;
  /// How long a slow subscriber keeps each message.
  std::atomic<std::int64_t> hold_ns_ = 0;
  std::unique_ptr<Subscriber> subscriber_;
};

}  // namespace wirecost::bench::transport
