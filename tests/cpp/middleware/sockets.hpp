// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "wirecost/middleware/tcp/descriptor.hpp"

namespace middleware_tests {

using wirecost::middleware::checked;
using wirecost::middleware::Descriptor;

inline std::pair<Descriptor, Descriptor> connected() {
  std::array<int, 2> numbers{};
  checked(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, numbers.data()), "socketpair");
  return {Descriptor(numbers[0]), Descriptor(numbers[1])};
}

inline std::string framed(const std::string& message) {
  std::string frame(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) frame[i] = static_cast<char>(message.size() >> 8 * i & 255);
  return frame + message;
}

/// False where the reader is gone.
inline bool write_all(const Descriptor& to, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto now = send(to.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

/// Waits for them; fewer where the connection ends before.
inline std::string read_bytes(const Descriptor& from, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t got = 0;
  while (got < count) {
    const auto now = recv(from.get(), bytes.data() + got, count - got, 0);
    if (now <= 0) break;
    got += static_cast<std::size_t>(now);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace middleware_tests
