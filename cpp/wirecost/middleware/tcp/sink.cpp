// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/tcp/sink.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace wirecost::middleware {
namespace {

// What a step sends, so that a small message that is due meanwhile waits for about 0.1 ms at most.
constexpr std::size_t step_bytes = std::size_t{256} * 1024;

/// Sends what the reader's socket takes at once of header and message, from byte `sent` on.
ssize_t send_rest(int socket, std::span<const std::byte> header, std::span<const std::byte> message,
                  std::size_t sent, std::size_t most) {
  const std::size_t of_header = sent < header.size() ? header.size() - sent : 0;
  const std::size_t from = of_header == 0 ? sent - header.size() : 0;
  // sendmsg reads through pointers that it declares as writable.
  std::array<iovec, 2> parts{
      {{const_cast<std::byte*>(header.data()) + header.size() - of_header, of_header},
       {const_cast<std::byte*>(message.data()) + from, std::min(message.size() - from, most)}}};
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
  if (pending_) {
    // The last message of a latched sink is this one already.
    if (!latched_) readers_.back().sent = pending_->size();
  } else if (latched_ && sent_any_) {
    finish(framed(last_), std::span(readers_).last(1));
    forget_lost();
  }
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
  finish_pending();
  start(message);
  finish_pending();
}

Progress TcpSink::begin(std::span<const std::byte> message) {
  const std::scoped_lock lock(mutex_);
  finish_pending();
  start(message);
  return step();
}

Progress TcpSink::resume() {
  const std::scoped_lock lock(mutex_);
  return step();
}

Progress TcpSink::step() {
  if (!pending_) return Progress::all;
  const Progress progress = advance(*pending_, readers_, step_bytes);
  if (progress != Progress::all) {
    if (Clock::now() < pending_->patience_ends) return progress;
    give_up(*pending_, readers_);
  }
  sent_all();
  return Progress::all;
}

void TcpSink::start(std::span<const std::byte> message) {
  pending_ = framed(message);
  for (Reader& reader : readers_) reader.sent = 0;
}

void TcpSink::finish_pending() {
  if (!pending_) return;
  finish(*pending_, readers_);
  sent_all();
}

void TcpSink::sent_all() {
  if (latched_) {
    last_.assign(pending_->message.begin(), pending_->message.end());
    sent_any_ = true;
  }
  pending_.reset();
  forget_lost();
}

TcpSink::Frame TcpSink::framed(std::span<const std::byte> message) const {
  if (message.size() > UINT32_MAX) throw std::length_error("a message of more than 4 GiB");
  Frame frame{.header = {}, .message = message, .patience_ends = Clock::now() + patience_};
  for (std::size_t i = 0; i < frame.header.size(); ++i)
    frame.header[i] = static_cast<std::byte>(message.size() >> 8 * i);
  return frame;
}

Progress TcpSink::advance(const Frame& frame, std::span<Reader> readers, std::size_t budget) {
  const std::size_t size = frame.size();
  waiting_.clear();
  bool all = true, some = false;
  for (Reader& reader : readers) {
    const std::size_t until = reader.sent + std::min(budget, size - reader.sent);
    while (!reader.lost && reader.sent < until) {
      const ssize_t sent = send_rest(reader.socket.get(), frame.header, frame.message, reader.sent,
                                     until - reader.sent);
      if (sent >= 0) {
        reader.sent += static_cast<std::size_t>(sent);
        some = true;
      } else if (errno == EAGAIN) {
        waiting_.push_back({.fd = reader.socket.get(), .events = POLLOUT, .revents = 0});
        break;
      } else if (errno != EINTR) {
        reader.lost = true;
      }
    }
    all = all && (reader.lost || reader.sent >= size);
  }
  return all ? Progress::all : some ? Progress::some : Progress::none;
}

void TcpSink::finish(const Frame& frame, std::span<Reader> readers) {
  while (advance(frame, readers, frame.size()) != Progress::all) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(frame.patience_ends - Clock::now());
    if (left.count() <= 0) return give_up(frame, readers);
    if (!waiting_.empty()) poll(waiting_.data(), waiting_.size(), static_cast<int>(left.count()));
  }
}

void TcpSink::give_up(const Frame& frame, std::span<Reader> readers) {
  for (Reader& reader : readers) {
    if (reader.lost || reader.sent >= frame.size()) continue;
    reader.lost = true;
    ++dropped_;
  }
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
