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

#include "bench/transport/check.hpp"
#include "bench/transport/commands.hpp"
#include "bench/transport/middleware.hpp"
#include "bench/transport/records.hpp"
#include "bench/transport/requests.hpp"

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
    std::optional<Check> check;
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

  nlohmann::json send(const nlohmann::json& command);
  /// Says that all is made, and waits to be told when the first message is due.
  std::int64_t start_of_run();
  nlohmann::json listen(const nlohmann::json& command);
  bool prime_subscribers(std::chrono::milliseconds time);
  bool prime_replier(std::chrono::milliseconds time);
  bool answer_primes(std::chrono::milliseconds time);
  bool wait_for_prime(std::chrono::milliseconds time);
  void listen_until_finished();
  /// When the call was over; negative where the message was refused.
  std::int64_t publish(Bytes message);
  /// When the reply was there, 0 where none came; `same` becomes false for another content.
  std::int64_t ask(Bytes request, std::int64_t number, Check& check, bool& same);
  /// In whatever thread, at `received_ns`.
  void take(Bytes message, std::int64_t received_ns);
  void record(Bytes payload, std::int64_t received_ns);

  Commands& commands_;
  Settings settings_;
  /// Of the four, the one that was opened; a replier's `poll` answers requests.
  std::unique_ptr<Publisher> publisher_;
  std::unique_ptr<Requester> requester_;
  std::mutex mutex_;
  Listening listening_;
  /// How long a slow subscriber keeps each message.
  std::atomic<std::int64_t> hold_ns_ = 0;
  std::unique_ptr<Subscriber> subscriber_;
  bool answers_ = false;
};

}  // namespace wirecost::bench::transport
