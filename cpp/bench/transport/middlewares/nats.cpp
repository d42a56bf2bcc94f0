// SPDX-License-Identifier: Apache-2.0
// NATS, at most once, over the server at `address`, host:port.
#include <nats/nats.h>

#include <utility>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr std::int64_t flush_ms = 1000;

void check(natsStatus status, const std::string& what) {
  if (status != NATS_OK) throw Failure(what + ": " + natsStatus_GetText(status));
}

/// As the Python client has it.
std::string subject_of(const Settings& settings) { return "wirecost.topic." + settings.topic; }

class Connection {
 public:
  explicit Connection(const Settings& settings) {
    check(natsConnection_ConnectTo(&connection_, ("nats://" + settings.address).c_str()),
          "no NATS server at " + settings.address);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    natsConnection_Close(connection_);
    natsConnection_Destroy(connection_);
  }
  [[nodiscard]] natsConnection* get() const { return connection_; }

 private:
  natsConnection* connection_ = nullptr;
};

class NatsPublisher : public Publisher {
 public:
  explicit NatsPublisher(const Settings& settings)
      : connection_(settings), subject_(subject_of(settings)) {}

  bool publish(Bytes message) override {
    return natsConnection_Publish(connection_.get(), subject_.c_str(), message.data(),
                                  static_cast<int>(message.size())) == NATS_OK;
  }

 private:
  Connection connection_;
  std::string subject_;
};

class NatsSubscriber : public Subscriber {
 public:
  NatsSubscriber(const Settings& settings, OnMessage on_message)
      : connection_(settings), on_message_(std::move(on_message)) {
    check(natsConnection_SubscribeSync(&messages_, connection_.get(), subject_of(settings).c_str()),
          settings.topic);
    // nats.c cannot make the server wait: above a limit it drops. So there is none where no loss is
    // asked for, and its own where nothing is.
    if (settings.queue > 0) {
      const int most = settings.wants_all() ? -1 : settings.queue;
      check(natsSubscription_SetPendingLimits(messages_, most, -1), settings.topic);
    }
    check(natsConnection_FlushTimeout(connection_.get(), flush_ms), settings.address);
  }
  ~NatsSubscriber() override { natsSubscription_Destroy(messages_); }

  void poll(std::chrono::milliseconds time) override {
    natsMsg* message = nullptr;
    if (natsSubscription_NextMsg(&message, messages_, time.count()) != NATS_OK) return;
    // NOLINTNEXTLINE(bugprone-casting-through-void): the library gives characters
    on_message_({static_cast<const std::byte*>(static_cast<const void*>(natsMsg_GetData(message))),
                 static_cast<std::size_t>(natsMsg_GetDataLength(message))});
    natsMsg_Destroy(message);
  }

 private:
  Connection connection_;
  OnMessage on_message_;
  natsSubscription* messages_ = nullptr;
};

}  // namespace

Library library() { return {"nats.c", nats_GetVersion(), {"nats"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<NatsPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<NatsSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
