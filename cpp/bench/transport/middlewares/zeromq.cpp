// SPDX-License-Identifier: Apache-2.0
// ZeroMQ without a proxy: the publisher binds, subscribers connect.
#include <zmq.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr int linger_ms = 500;

/// `address`: an endpoint, or the folder of the topics' sockets.
std::string endpoint_of(const Settings& settings) {
  if (settings.address.empty()) throw Failure("zeromq: an address is needed");
  if (settings.address.find("://") != std::string::npos) return settings.address;
  return "ipc://" + settings.address + "/" + settings.topic + ".topic.sock";
}

class Socket {
 public:
  Socket(const Settings& settings, int kind) : context_(zmq_ctx_new()) {
    socket_ = zmq_socket(context_, kind);
    if (socket_ == nullptr) throw Failure(zmq_strerror(errno));
    set(ZMQ_LINGER, linger_ms);
    if (settings.queue > 0) set(kind == ZMQ_SUB ? ZMQ_RCVHWM : ZMQ_SNDHWM, settings.queue);
    if (kind == ZMQ_SUB && settings.is_set("conflate")) set(ZMQ_CONFLATE, 1);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    zmq_close(socket_);
    zmq_ctx_term(context_);
  }

  void set(int option, int value) {
    if (zmq_setsockopt(socket_, option, &value, sizeof value) != 0)
      throw Failure(std::string("zeromq: an option is refused: ") + zmq_strerror(errno));
  }

  bool wait(std::chrono::milliseconds time) {
    zmq_pollitem_t item{socket_, 0, ZMQ_POLLIN, 0};
    return zmq_poll(&item, 1, time.count()) > 0;
  }

  [[nodiscard]] void* get() const { return socket_; }

 private:
  void* context_;
  void* socket_ = nullptr;
};

class ZeroMqPublisher : public Publisher {
 public:
  explicit ZeroMqPublisher(const Settings& settings)
      : socket_(settings, ZMQ_PUB), wait_(settings.wants_all() ? 0 : ZMQ_DONTWAIT) {
    if (settings.wants_all()) socket_.set(ZMQ_XPUB_NODROP, 1);
    const std::string endpoint = endpoint_of(settings);
    if (zmq_bind(socket_.get(), endpoint.c_str()) != 0)
      throw Failure(endpoint + ": " + zmq_strerror(errno));
  }

  bool publish(Bytes message) override {
    zmq_msg_t sent;
    if (zmq_msg_init_size(&sent, message.size()) != 0) throw Failure("no memory for a message");
    std::memcpy(zmq_msg_data(&sent), message.data(), message.size());
    if (zmq_msg_send(&sent, socket_.get(), wait_) >= 0) return true;
    zmq_msg_close(&sent);
    return false;
  }

 private:
  Socket socket_;
  int wait_;
};

class ZeroMqSubscriber : public Subscriber {
 public:
  ZeroMqSubscriber(const Settings& settings, OnMessage on_message)
      : socket_(settings, ZMQ_SUB), on_message_(std::move(on_message)) {
    if (zmq_setsockopt(socket_.get(), ZMQ_SUBSCRIBE, "", 0) != 0)
      throw Failure(std::string("zeromq: no subscription: ") + zmq_strerror(errno));
    const std::string endpoint = endpoint_of(settings);
    if (zmq_connect(socket_.get(), endpoint.c_str()) != 0)
      throw Failure(endpoint + ": " + zmq_strerror(errno));
  }

  void poll(std::chrono::milliseconds time) override {
    if (!socket_.wait(time)) return;
    zmq_msg_t received;
    zmq_msg_init(&received);
    while (zmq_msg_recv(&received, socket_.get(), ZMQ_DONTWAIT) >= 0)
      on_message_(
          {static_cast<const std::byte*>(zmq_msg_data(&received)), zmq_msg_size(&received)});
    zmq_msg_close(&received);
  }

 private:
  Socket socket_;
  OnMessage on_message_;
};

}  // namespace

Library library() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  zmq_version(&major, &minor, &patch);
  return {"libzmq",
          std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch),
          {"zeromq", "zeromq-tcp"}};
}

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<ZeroMqPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<ZeroMqSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
