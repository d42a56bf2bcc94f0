// SPDX-License-Identifier: Apache-2.0
// The yardstick: TCP without a middleware. The publisher listens at `address`, host:port, and
// writes each message behind its size to every subscriber; it waits where a socket is full.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31U;
constexpr std::chrono::milliseconds again{20};
constexpr int backlog = 64;

/// A descriptor, closed with its owner.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

Socket tcp() { return Socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

void send_at_once(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

sockaddr_in address_of(const std::string& text) {
  sockaddr_in address{};
  const auto colon = text.rfind(':');
  address.sin_family = AF_INET;
  if (colon == std::string::npos ||
      inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1)
    throw Failure("tcp: address '" + text + "' must be like 127.0.0.1:5555");
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(colon + 1))));
  return address;
}

/// False where the other end is gone.
bool send_all(const Socket& socket, std::uint64_t size, Bytes message) {
  std::array<iovec, 2> parts{
      {{&size, sizeof size}, {const_cast<std::byte*>(message.data()), message.size()}}};
  msghdr whole{};
  whole.msg_iov = parts.data();
  whole.msg_iovlen = parts.size();
  while (whole.msg_iovlen > 0) {
    const auto sent = sendmsg(socket.get(), &whole, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    auto left = static_cast<std::size_t>(sent);
    while (whole.msg_iovlen > 0 && left >= whole.msg_iov->iov_len) {
      left -= whole.msg_iov->iov_len;
      ++whole.msg_iov;
      --whole.msg_iovlen;
    }
    if (whole.msg_iovlen > 0) {
      whole.msg_iov->iov_base = static_cast<std::byte*>(whole.msg_iov->iov_base) + left;
      whole.msg_iov->iov_len -= left;
    }
  }
  return true;
}

class TcpPublisher : public Publisher {
 public:
  explicit TcpPublisher(const Settings& settings) : listening_(tcp()) {
    const sockaddr_in address = address_of(settings.address);
    const int on = 1;
    setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listening_.get(), backlog) != 0)
      throw Failure(settings.address + ": " + std::strerror(errno));
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~TcpPublisher() override {
    ended_ = true;
    shutdown(listening_.get(), SHUT_RDWR);
    accepting_.join();
  }

  bool publish(Bytes message) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(subscribers_, [&](const Socket& subscriber) {
      return !send_all(subscriber, message.size(), message);
    });
    return true;
  }

 private:
  void accept_all() {
    while (!ended_) {
      Socket subscriber(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!subscriber.open()) continue;
      send_at_once(subscriber);
      const std::lock_guard lock(mutex_);
      subscribers_.push_back(std::move(subscriber));
    }
  }

  Socket listening_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::vector<Socket> subscribers_;
  std::thread accepting_;
};

class TcpSubscriber : public Subscriber {
 public:
  TcpSubscriber(const Settings& settings, OnMessage on_message)
      : address_(address_of(settings.address)), on_message_(std::move(on_message)) {}

  void poll(std::chrono::milliseconds time) override {
    if (!socket_.open() && !connect_now()) {
      std::this_thread::sleep_for(std::min(time, again));
      return;
    }
    pollfd readable{socket_.get(), POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(time.count())) <= 0) return;
    std::uint64_t size = 0;
    if (!receive(&size, sizeof size) || size > most_bytes) {
      socket_ = Socket(-1);
      return;
    }
    message_.resize(size);
    if (receive(message_.data(), size))
      on_message_({message_.data(), message_.size()});
    else
      socket_ = Socket(-1);
  }

 private:
  bool connect_now() {
    Socket made = tcp();
    if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0)
      return false;
    socket_ = std::move(made);
    return true;
  }

  bool receive(void* to, std::size_t size) {
    auto* at = static_cast<std::byte*>(to);
    while (size > 0) {
      const auto got = recv(socket_.get(), at, size, MSG_WAITALL);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  sockaddr_in address_;
  OnMessage on_message_;
  Socket socket_{-1};
  std::vector<std::byte> message_;
};

}  // namespace

Library library() { return {"sockets", "of the kernel", {"tcp"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<TcpPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<TcpSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
