// SPDX-License-Identifier: Apache-2.0
// MQTT 5 through libmosquitto, over the broker at `address`, host:port. Option `qos`: 0 or 1.
#include <mosquitto.h>
#include <mqtt_protocol.h>

#include <atomic>
#include <thread>
#include <utility>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr int keepalive_s = 60;
constexpr std::chrono::seconds patience{5};

void check(int status, const std::string& what) {
  if (status != MOSQ_ERR_SUCCESS) throw Failure(what + ": " + mosquitto_strerror(status));
}

int qos_of(const Settings& settings) {
  const auto found = settings.options.find("qos");
  if (found != settings.options.end()) return found->second == "1" ? 1 : 0;
  return settings.wants_all() ? 1 : 0;
}

/// A connection, served by a thread of the library.
class Link {
 public:
  Link(const Settings& settings, void* user) : client_(mosquitto_new(nullptr, true, user)) {
    const auto colon = settings.address.rfind(':');
    host_ = settings.address.substr(0, colon);
    port_ = colon == std::string::npos ? 1883 : std::stoi(settings.address.substr(colon + 1));
    mosquitto_int_option(client_, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client_, MOSQ_OPT_TCP_NODELAY, 1);
    if (settings.queue > 0) mosquitto_max_inflight_messages_set(client_, settings.queue);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    mosquitto_disconnect(client_);
    mosquitto_loop_stop(client_, false);
    mosquitto_destroy(client_);
  }

  void connect() {
    check(mosquitto_connect(client_, host_.c_str(), port_, keepalive_s),
          "no MQTT broker at " + host_ + ":" + std::to_string(port_));
    check(mosquitto_loop_start(client_), "MQTT");
  }

  [[nodiscard]] mosquitto* get() const { return client_; }

 private:
  static inline const int loaded = mosquitto_lib_init();
  mosquitto* client_;
  std::string host_;
  int port_ = 0;
};

class MqttPublisher : public Publisher {
 public:
  explicit MqttPublisher(const Settings& settings)
      : topic_(settings.topic),
        qos_(qos_of(settings)),
        most_(settings.queue),
        link_(settings, this) {
    mosquitto_publish_callback_set(link_.get(), [](mosquitto*, void* self, int) {
      static_cast<MqttPublisher*>(self)->sent();
    });
    mosquitto_connect_callback_set(link_.get(), [](mosquitto*, void* self, int reason) {
      static_cast<MqttPublisher*>(self)->connected(reason == 0);
    });
    mosquitto_disconnect_callback_set(link_.get(), [](mosquitto*, void* self, int) {
      static_cast<MqttPublisher*>(self)->connected(false);
    });
    link_.connect();
  }

  bool publish(Bytes message) override {
    if (qos_ == 0 && !connected_) return false;
    if (most_ > 0 && waiting_ >= most_) return false;
    ++waiting_;
    if (mosquitto_publish(link_.get(), nullptr, topic_.c_str(), static_cast<int>(message.size()),
                          message.data(), qos_, false) == MOSQ_ERR_SUCCESS)
      return true;
    --waiting_;
    return false;
  }

 private:
  void sent() {
    if (waiting_ > 0) --waiting_;
  }

  /// What waits with QoS 0 is lost with its connection, and nobody says so.
  void connected(bool now) {
    if (qos_ == 0) waiting_ = 0;
    connected_ = now;
  }

  std::string topic_;
  int qos_;
  int most_;
  /// Messages that the broker has not taken yet.
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> connected_ = false;
  /// The last: its thread uses the others.
  Link link_;
};

class MqttSubscriber : public Subscriber {
 public:
  MqttSubscriber(const Settings& settings, OnMessage on_message)
      : link_(settings, this),
        topic_(settings.topic),
        qos_(qos_of(settings)),
        on_message_(std::move(on_message)) {
    // Also after a connection was lost.
    mosquitto_connect_callback_set(link_.get(), [](mosquitto* client, void* user, int) {
      const auto* self = static_cast<MqttSubscriber*>(user);
      mosquitto_subscribe(client, nullptr, self->topic_.c_str(), self->qos_);
    });
    mosquitto_subscribe_callback_set(link_.get(), [](mosquitto*, void* user, int, int, const int*) {
      static_cast<MqttSubscriber*>(user)->subscribed_ = true;
    });
    mosquitto_message_callback_set(link_.get(),
                                   [](mosquitto*, void* user, const mosquitto_message* message) {
                                     static_cast<MqttSubscriber*>(user)->on_message_(
                                         {static_cast<const std::byte*>(message->payload),
                                          static_cast<std::size_t>(message->payloadlen)});
                                   });
    link_.connect();
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!subscribed_) {
      if (std::chrono::steady_clock::now() > end) throw Failure("the MQTT broker does not answer");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void poll(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }

 private:
  Link link_;
  std::string topic_;
  int qos_;
  OnMessage on_message_;
  std::atomic<bool> subscribed_ = false;
};

}  // namespace

Library library() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  mosquitto_lib_version(&major, &minor, &patch);
  return {"libmosquitto",
          std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch),
          {"mqtt"}};
}

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<MqttPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<MqttSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
