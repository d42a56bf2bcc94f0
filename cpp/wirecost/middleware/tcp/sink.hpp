// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "wirecost/middleware/sink.hpp"
#include "wirecost/middleware/tcp/descriptor.hpp"

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
  Progress begin(std::span<const std::byte> message) override;
  Progress resume() override;
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

  using Clock = std::chrono::steady_clock;
  using Header = std::array<std::byte, 4>;
  /// What is being sent to all readers.
  struct Frame {
    Header header;
    std::span<const std::byte> message;
    Clock::time_point patience_ends;

    std::size_t size() const { return header.size() + message.size(); }
  };

  Frame framed(std::span<const std::byte> message) const;
  /// Sends what the sockets take, at most `budget` bytes to each reader; `waiting_` holds which
  /// took no more. All: everybody has all of it, or is lost.
  Progress advance(const Frame& frame, std::span<Reader> readers, std::size_t budget);
  void finish(const Frame& frame, std::span<Reader> readers);
  void finish_pending();
  void give_up(const Frame& frame, std::span<Reader> readers);
  void start(std::span<const std::byte> message);
  /// As `resume`, under the lock.
  Progress step();
  void sent_all();
  void forget_lost();

  const bool latched_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::vector<Reader> readers_;
  std::vector<pollfd> waiting_;
  std::optional<Frame> pending_;
  std::vector<std::byte> last_;
  bool sent_any_ = false;
  std::atomic<std::size_t> connected_ = 0, dropped_ = 0;
};

}  // namespace wirecost::middleware
