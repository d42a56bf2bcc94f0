// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/tcp_sink.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace wirecost::middleware {
namespace {

using Header = std::array<std::byte, 4>;

Header length_of(std::span<const std::byte> message) {
  if (message.size() > UINT32_MAX) throw std::length_error("a message of more than 4 GiB");
  Header header;
  for (std::size_t i = 0; i < header.size(); ++i)
    header[i] = static_cast<std::byte>(message.size() >> 8 * i);
  return header;
}

/// Sends what the reader's socket takes at once of header and message, from byte `sent` on.
ssize_t send_rest(int socket, Header& header, std::span<const std::byte> message,
                  std::size_t sent) {
  const std::size_t of_header = sent < header.size() ? header.size() - sent : 0;
  const std::size_t of_message = of_header == 0 ? sent - header.size() : 0;
  // sendmsg reads through pointers that it declares as writable.
  std::array<iovec, 2> parts{
      {{header.data() + header.size() - of_header, of_header},
       {const_cast<std::byte*>(message.data()) + of_message, message.size() - of_message}}};
  msghdr out{};
  out.msg_iov = parts.data();
  out.msg_iovlen = parts.size();
  return sendmsg(socket, &out, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

void TcpSink::add(Descriptor socket) {
  const int number = socket.get();
  checked(fcntl(number, F_GETFD), "fcntl");
  // Fails, and matters not, where the socket is a local one.
  const int on = 1;
  setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::scoped_lock lock(mutex_);
  readers_.push_back({.socket = std::move(socket)});
  waiting_.reserve(readers_.size());
  if (latched_ && sent_any_) frame(last_, std::span(readers_).last(1));
  connected_ = readers_.size();
}

void TcpSink::prepare(std::size_t max_bytes) {
  const std::scoped_lock lock(mutex_);
  if (!latched_ || max_bytes <= last_.size()) return;
  // Touched too, not only reserved.
  const std::size_t size = last_.size();
  last_.resize(max_bytes);
  last_.resize(size);
}

void TcpSink::send(std::span<const std::byte> message) {
  const std::scoped_lock lock(mutex_);
  frame(message, readers_);
  if (!latched_) return;
  last_.assign(message.begin(), message.end());
  sent_any_ = true;
}

void TcpSink::frame(std::span<const std::byte> message, std::span<Reader> readers) {
  using Clock = std::chrono::steady_clock;
  Header header = length_of(message);
  const std::size_t size = header.size() + message.size();
  for (Reader& reader : readers) reader.sent = 0;
  const Clock::time_point patience_ends = Clock::now() + patience_;
  for (;;) {
    waiting_.clear();
    for (Reader& reader : readers) {
      while (!reader.lost && reader.sent < size) {
        const ssize_t sent = send_rest(reader.socket.get(), header, message, reader.sent);
        if (sent >= 0) {
          reader.sent += static_cast<std::size_t>(sent);
        } else if (errno == EAGAIN) {
          waiting_.push_back({.fd = reader.socket.get(), .events = POLLOUT, .revents = 0});
          break;
        } else if (errno != EINTR) {
          reader.lost = true;
        }
      }
    }
    if (waiting_.empty()) break;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience_ends - Clock::now());
    if (left.count() > 0) {
      poll(waiting_.data(), waiting_.size(), static_cast<int>(left.count()));
      continue;
    }
    for (Reader& reader : readers) {
      if (reader.lost || reader.sent == size) continue;
      reader.lost = true;
      ++dropped_;
    }
    break;
  }
  forget_lost();
}

void TcpSink::forget_lost() {
  std::erase_if(readers_, [](const Reader& reader) { return reader.lost; });
  connected_ = readers_.size();
}

std::size_t TcpSink::readers() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // Sending finds out for itself who is gone.
  if (!lock) return connected_;
  for (Reader& reader : readers_) {
    pollfd state{.fd = reader.socket.get(), .events = POLLRDHUP, .revents = 0};
    if (poll(&state, 1, 0) == 1) reader.lost = true;
  }
  forget_lost();
  return connected_;
}

}  // namespace wirecost::middleware
