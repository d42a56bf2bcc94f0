// SPDX-License-Identifier: Apache-2.0
// What the file of a middleware gives the client: one publisher or one subscriber.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace wirecost::bench::transport {

/// Not std::span, since messages of ROS 1 are C++17.
class Bytes {
 public:
  Bytes(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  const std::byte* data_;
  std::size_t size_;
};

/// As the command asks for them; the table of settings in Python says what each setting becomes.
struct Settings {
  std::string transport;
  std::string topic;
  std::string address;
  /// Whether no loss is asked for; none: the library's default.
  std::optional<bool> reliable;
  /// Messages that may wait at this end; 0: see `depth`.
  int queue = 0;
  /// The largest message.
  std::size_t bytes = 0;
  /// What only this middleware has.
  std::map<std::string, std::string> options;

  [[nodiscard]] bool is_set(const std::string& option) const {
    const auto found = options.find(option);
    return found != options.end() && found->second != "false" && found->second != "0";
  }
  /// Messages that may wait, where the library itself would choose `own`.
  [[nodiscard]] int depth(int own) const {
    const auto found = options.find("depth");
    return queue > 0 ? queue : found == options.end() ? own : std::stoi(found->second);
  }
  [[nodiscard]] bool wants_all() const { return reliable.value_or(false); }
};

/// A message that says what to do, for the line on which the command reports it.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Publisher {
 public:
  Publisher() = default;
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  virtual ~Publisher() = default;

  /// Sends a message; its memory may be changed afterwards. False if the middleware refused it.
  virtual bool publish(Bytes message) = 0;
};

/// Called with each message, in whatever thread, one after the other; the bytes are valid until it
/// returns.
using OnMessage = std::function<void(Bytes)>;

class Subscriber {
 public:
  Subscriber() = default;
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  virtual ~Subscriber() = default;

  /// Gives what arrives within the time to `OnMessage`, and returns after it, or at once after a
  /// message. Where a thread of the library gives messages, it only waits.
  virtual void poll(std::chrono::milliseconds time) = 0;
};

// Defined by the file of each middleware; they throw Failure.

/// `transports`: the names under which wirecost knows it.
struct Library {
  std::string name;
  std::string version;
  std::vector<std::string> transports;
};
Library library();
std::unique_ptr<Publisher> make_publisher(const Settings& settings);
std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message);

}  // namespace wirecost::bench::transport
