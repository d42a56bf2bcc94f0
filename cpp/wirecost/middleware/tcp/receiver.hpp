// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "wirecost/middleware/queue.hpp"
#include "wirecost/middleware/tcp/descriptor.hpp"

namespace wirecost::middleware {

/// A thread that reads frames of a four-byte little-endian length and a message from sockets.
class TcpReceiver {
 public:
  struct Ended {
    std::uint32_t channel = 0;
    int descriptor = -1;
    std::string reason;
  };

  /// A connection that announces more than `max_message_bytes` is ended.
  TcpReceiver(Queue& queue, std::size_t max_message_bytes);
  TcpReceiver(const TcpReceiver&) = delete;
  TcpReceiver& operator=(const TcpReceiver&) = delete;
  ~TcpReceiver();

  void add(Descriptor socket, std::uint32_t channel);
  /// What ended since the last call. Only then are the descriptors closed, so that none of them is
  /// given to a new connection before its end was reported.
  std::vector<Ended> ended();
  void close();

 private:
  struct Connection {
    Descriptor socket;
    std::uint32_t channel = 0;
    /// The frame's length as far as it came.
    std::byte head[4]{};
    std::size_t head_bytes = 0;
    /// Set once the length is known.
    Message message;
    std::size_t message_bytes = 0;
  };
  struct Over {
    Ended ended;
    Descriptor socket;
  };

  void run();
  /// Reads what is there, at most once; the reason why the connection is over, or empty.
  std::string read(Connection& connection);
  std::string take(Connection& connection, const std::byte* bytes, std::size_t size);
  void put(Connection& connection);
  void wake() const;

  Queue& queue_;
  const std::size_t max_message_bytes_;
  std::vector<std::byte> scratch_;
  Descriptor epoll_, wake_;
  std::mutex mutex_;
  // Guarded; nodes stay where they are, and only the thread erases them.
  std::map<int, Connection> connections_;
  std::vector<Over> over_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace wirecost::middleware
