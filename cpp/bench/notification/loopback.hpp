// SPDX-License-Identifier: Apache-2.0
// A TCP connection of this process with itself, to see what moving a message costs.
#pragma once

#include <string_view>
#include <vector>

#include "bench/notification/frame.hpp"

namespace wirecost::bench {

class Loopback {
 public:
  /// Throws std::system_error.
  Loopback();
  ~Loopback();
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  /// Sends a message as one frame, with one system call.
  void send(Wire wire, std::span<const std::byte> message);
  /// Waits for the next frame; it is valid until the next call.
  Frame receive();

 private:
  int listener_ = -1, sender_ = -1, receiver_ = -1;
  std::vector<std::byte> out_;
  FrameReader reader_;
};

/// By its name. Throws std::invalid_argument.
Wire wire_of(std::string_view name);

}  // namespace wirecost::bench
