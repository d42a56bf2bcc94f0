// SPDX-License-Identifier: Apache-2.0
#include "bench/notification/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace wirecost::bench {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

Loopback::Loopback() {
  listener_ = checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  checked(bind(listener_, raw, size), "bind");
  checked(listen(listener_, 1), "listen");
  checked(getsockname(listener_, raw, &size), "getsockname");
  sender_ = checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  checked(connect(sender_, raw, size), "connect");
  receiver_ = checked(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), "accept");
  const int on = 1;
  checked(setsockopt(sender_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
}

Loopback::~Loopback() {
  for (const int open : {listener_, sender_, receiver_})
    if (open >= 0) close(open);
}

void Loopback::send(Wire wire, std::span<const std::byte> message) {
  out_.resize(frame_header + message.size());
  const std::uint32_t header = frame_length(wire, message.size());
  std::memcpy(out_.data(), &header, frame_header);
  std::ranges::copy(message, out_.begin() + frame_header);
  std::span<const std::byte> left = out_;
  while (!left.empty()) {
    const auto sent = ::send(sender_, left.data(), left.size(), MSG_NOSIGNAL);
    checked(static_cast<int>(sent), "send");
    left = left.subspan(static_cast<std::size_t>(sent));
  }
}

Frame Loopback::receive() {
  for (;;) {
    if (const std::optional<Frame> frame = reader_.next()) return *frame;
    const std::span<std::byte> room = reader_.room();
    const auto got = recv(receiver_, room.data(), room.size(), 0);
    if (checked(static_cast<int>(got), "recv") == 0)
      throw std::runtime_error("the connection ended within a frame");
    reader_.received(static_cast<std::size_t>(got));
  }
}

Wire wire_of(std::string_view name) {
  if (name == "protobuf") return Wire::protobuf;
  if (name == "ros1") return Wire::ros1;
  if (name == "cdr") return Wire::cdr;
  throw std::invalid_argument("wire " + std::string(name) + " is not known");
}

}  // namespace wirecost::bench
