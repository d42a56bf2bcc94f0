// SPDX-License-Identifier: Apache-2.0
// The yardstick: TCP without a middleware. The publisher listens at `address`, host:port, and
// writes each message behind its size to every subscriber; it waits where a socket is full.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bench/transport/middlewares/stream.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr std::chrono::milliseconds again{20};
constexpr int backlog = 64;

Descriptor tcp() { return Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

void send_at_once(const Descriptor& socket) {
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
    std::erase_if(subscribers_, [&](const Descriptor& subscriber) {
      return !write_message(subscriber, message);
    });
    return true;
  }

 private:
  void accept_all() {
    while (!ended_) {
      Descriptor subscriber(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!subscriber.open()) continue;
      send_at_once(subscriber);
      const std::lock_guard lock(mutex_);
      subscribers_.push_back(std::move(subscriber));
    }
  }

  Descriptor listening_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::vector<Descriptor> subscribers_;
  std::thread accepting_;
};

class TcpSubscriber : public Subscriber {
 public:
  TcpSubscriber(const Settings& settings, OnMessage on_message)
      : address_(address_of(settings.address)),
        on_message_(std::move(on_message)),
        reader_(settings.bytes) {}

  void poll(std::chrono::milliseconds time) override {
    if (!socket_.open() && !connect_now()) {
      std::this_thread::sleep_for(std::min(time, again));
      return;
    }
    pollfd readable{socket_.get(), POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(time.count())) <= 0) return;
    if (!reader_.read(socket_, on_message_)) socket_ = Descriptor();
  }

 private:
  bool connect_now() {
    Descriptor made = tcp();
    if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0)
      return false;
    socket_ = std::move(made);
    return true;
  }

  sockaddr_in address_;
  OnMessage on_message_;
  MessageReader reader_;
  Descriptor socket_;
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
