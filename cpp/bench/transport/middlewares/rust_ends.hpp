// SPDX-License-Identifier: Apache-2.0
// A publisher and a subscriber whose library is in Rust, behind a C interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "bench/transport/middleware.hpp"
#include "bench/transport/payload.hpp"
#include "bench/transport/rust/transport.h"

namespace wirecost::bench::transport {

/// Calls `open` with the settings as the C interface has them. `own_depth`: messages that may wait
/// where nothing is asked for.
template <class End>
End* opened(End* (*open)(const WirecostTransportSettings*), const Settings& settings,
            int own_depth) {
  const WirecostTransportSettings given{
      .transport = settings.transport.c_str(),
      .topic = settings.topic.c_str(),
      .address = settings.address.c_str(),
      .depth = static_cast<std::size_t>(settings.depth(own_depth)),
      .bytes = settings.bytes + trailer_bytes,
      .waits = settings.wants_all(),
      .overwrites = settings.is_set("overwrites"),
      .peer = settings.is_set("peer"),
  };
  End* end = open(&given);
  if (end == nullptr) throw Failure(wirecost_transport_why());
  return end;
}

class RustPublisher : public Publisher {
 public:
  explicit RustPublisher(WirecostTransportPublisher* publisher) : publisher_(publisher) {}
  ~RustPublisher() override { wirecost_transport_close_publisher(publisher_); }

  bool publish(Bytes message) override {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(message.data());
    const int taken = wirecost_transport_publish(publisher_, bytes, message.size());
    if (taken < 0) throw Failure(wirecost_transport_why());
    return taken > 0;
  }

 private:
  WirecostTransportPublisher* publisher_;
};

class RustSubscriber : public Subscriber {
 public:
  RustSubscriber(WirecostTransportSubscriber* subscriber, OnMessage on_message)
      : subscriber_(subscriber), on_message_(std::move(on_message)) {}
  ~RustSubscriber() override { wirecost_transport_close_subscriber(subscriber_); }

  void poll(std::chrono::milliseconds time) override {
    const auto most = static_cast<std::uint64_t>(time.count());
    if (wirecost_transport_receive(subscriber_, most, take, &on_message_) < 0)
      throw Failure(wirecost_transport_why());
  }

 private:
  static void take(void* on_message, const std::uint8_t* message, std::size_t size) noexcept {
    (*static_cast<OnMessage*>(on_message))({reinterpret_cast<const std::byte*>(message), size});
  }

  WirecostTransportSubscriber* subscriber_;
  OnMessage on_message_;
};

}  // namespace wirecost::bench::transport
