// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "wirecost/middleware/descriptor.hpp"
#include "wirecost/middleware/sink.hpp"

namespace wirecost::middleware {

/// Sends every message to all its sockets, as frames of a four-byte length and a message. A reader
/// that did not take a message within `patience` is dropped, so that it holds up nobody for ever.
class TcpSink final : public Sink {
 public:
  TcpSink(bool latched, std::chrono::milliseconds patience)
      : latched_(latched), patience_(patience) {}

  /// A new reader; it gets the last message if the sink is latched.
  void add(Descriptor socket);
  void prepare(std::size_t max_bytes) override;
  void send(std::span<const std::byte> message) override;
  /// Those whose connection stands.
  std::size_t readers() override;
  /// Readers that were dropped because they did not read.
  std::size_t dropped() const { return dropped_; }

 private:
  struct Reader {
    Descriptor socket;
    /// Bytes of the present frame that it got.
    std::size_t sent = 0;
    bool lost = false;
  };

  void frame(std::span<const std::byte> message, std::span<Reader> readers);
  void forget_lost();

  const bool latched_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::vector<Reader> readers_;
  std::vector<pollfd> waiting_;
  std::vector<std::byte> last_;
  bool sent_any_ = false;
  std::atomic<std::size_t> connected_ = 0, dropped_ = 0;
};

}  // namespace wirecost::middleware
