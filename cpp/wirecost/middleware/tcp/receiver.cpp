// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/tcp/receiver.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace wirecost::middleware {
namespace {

// Small messages come many at a read; a large one is read into its own memory.
constexpr std::size_t scratch_bytes = std::size_t{256} * 1024;

std::uint32_t little_endian(const std::byte (&bytes)[4]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

}  // namespace

TcpReceiver::TcpReceiver(Queue& queue, std::size_t max_message_bytes)
    : queue_(queue),
      max_message_bytes_(max_message_bytes),
      scratch_(scratch_bytes),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = wake_.get()}};
  checked(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event), "epoll_ctl");
  thread_ = std::thread([this] { run(); });
}

TcpReceiver::~TcpReceiver() { close(); }

void TcpReceiver::add(Descriptor socket, std::uint32_t channel) {
  const int number = socket.get();
  const int flags = checked(fcntl(number, F_GETFL), "fcntl");
  checked(fcntl(number, F_SETFL, flags | O_NONBLOCK), "fcntl");
  const std::scoped_lock lock(mutex_);
  if (closing_) return;
  Connection& connection = connections_[number];
  connection.socket = std::move(socket);
  connection.channel = channel;
  epoll_event event{.events = EPOLLIN, .data = {.fd = number}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, number, &event) == 0) return;
  const std::system_error error(errno, std::generic_category(), "epoll_ctl");
  connections_.erase(number);
  throw error;
}

std::vector<TcpReceiver::Ended> TcpReceiver::ended() {
  std::vector<Over> over;
  {
    const std::scoped_lock lock(mutex_);
    over.swap(over_);
  }
  std::vector<Ended> ended;
  ended.reserve(over.size());
  for (Over& each : over) ended.push_back(std::move(each.ended));
  return ended;
}

void TcpReceiver::close() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  const std::scoped_lock lock(mutex_);
  connections_.clear();
  over_.clear();
}

void TcpReceiver::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_.get(), &one, sizeof one));
}

void TcpReceiver::run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    const int ready = epoll_wait(epoll_.get(), events.data(), events.size(), -1);
    for (int i = 0; i < ready; ++i) {
      const int number = events[i].data.fd;
      Connection* connection = nullptr;
      {
        const std::scoped_lock lock(mutex_);
        if (closing_) return;
        const auto found = connections_.find(number);
        if (found == connections_.end()) continue;
        connection = &found->second;
      }
      std::string reason = read(*connection);
      if (reason.empty()) continue;
      epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, number, nullptr);
      shutdown(number, SHUT_RDWR);
      const std::scoped_lock lock(mutex_);
      over_.push_back({.ended = {connection->channel, number, std::move(reason)},
                       .socket = std::move(connection->socket)});
      connections_.erase(number);
    }
  }
}

std::string TcpReceiver::read(Connection& connection) {
  const std::size_t missing =
      connection.message.bytes ? connection.message.size - connection.message_bytes : 0;
  // The rest of a large message, and behind it whatever already came after.
  const iovec parts[] = {
      {missing == 0 ? nullptr : connection.message.bytes.get() + connection.message_bytes, missing},
      {scratch_.data(), scratch_.size()}};
  const ssize_t got = readv(connection.socket.get(), parts, 2);
  if (got < 0) {
    if (errno == EAGAIN || errno == EINTR) return {};
    return std::generic_category().message(errno);
  }
  if (got == 0) return "closed by the peer";
  const std::size_t size = static_cast<std::size_t>(got);
  const std::size_t direct = std::min(size, missing);
  if (missing != 0) {
    connection.message_bytes += direct;
    if (direct == missing) put(connection);
  }
  return take(connection, scratch_.data(), size - direct);
}

std::string TcpReceiver::take(Connection& connection, const std::byte* bytes, std::size_t size) {
  while (size != 0) {
    if (!connection.message.bytes) {
      const std::size_t head = std::min(size, sizeof connection.head - connection.head_bytes);
      std::memcpy(connection.head + connection.head_bytes, bytes, head);
      connection.head_bytes += head;
      bytes += head;
      size -= head;
      if (connection.head_bytes < sizeof connection.head) return {};
      const std::size_t length = little_endian(connection.head);
      if (length > max_message_bytes_) {
        return "announced a message of " + std::to_string(length) + " bytes; at most " +
               std::to_string(max_message_bytes_) + " are accepted";
      }
      connection.message.bytes.reset(new (std::nothrow) std::byte[length]);
      if (!connection.message.bytes) {
        return "no memory for its message of " + std::to_string(length) + " bytes";
      }
      connection.message.size = length;
    }
    const std::size_t body = std::min(size, connection.message.size - connection.message_bytes);
    std::memcpy(connection.message.bytes.get() + connection.message_bytes, bytes, body);
    connection.message_bytes += body;
    bytes += body;
    size -= body;
    if (connection.message_bytes == connection.message.size) put(connection);
  }
  return {};
}

void TcpReceiver::put(Connection& connection) {
  connection.message.channel = connection.channel;
  connection.message.received = Stamp::now();
  queue_.put(std::exchange(connection.message, {}));
  connection.message_bytes = connection.head_bytes = 0;
}

}  // namespace wirecost::middleware
