// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace wirecost::middleware {

/// What came of a short while of sending; none: the reader's side is full.
enum class Progress { none, some, all };

/// Where a message goes; one class a middleware. The player's thread sends while Python's threads
/// ask and add readers.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Called before playing with the largest message to come, so that `send` need not allocate.
  virtual void prepare(std::size_t max_bytes) { static_cast<void>(max_bytes); }
  virtual void send(std::span<const std::byte> message) = 0;
  /// As `send`, but returns early where that takes long or would have to wait. Unless all was sent,
  /// the message must stay, and no other may follow, until `resume` returns so.
  virtual Progress begin(std::span<const std::byte> message) {
    send(message);
    return Progress::all;
  }
  /// Goes on for a short while with what `begin` left.
  virtual Progress resume() { return Progress::all; }
  virtual std::size_t readers() = 0;
};

}  // namespace wirecost::middleware
