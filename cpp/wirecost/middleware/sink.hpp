// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace wirecost::middleware {

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
  virtual std::size_t readers() = 0;
};

}  // namespace wirecost::middleware
