// SPDX-License-Identifier: Apache-2.0
// Ends whose library is in Rust, behind a C interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bench/transport/middleware.hpp"
#include "bench/transport/payload.hpp"
#include "bench/transport/requests.hpp"
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

inline const std::uint8_t* bytes_of(Bytes message) {
  return reinterpret_cast<const std::uint8_t*>(message.data());
}

/// Gives a message to the `OnMessage` at `context`.
inline void give(void* context, const std::uint8_t* message, std::size_t size) noexcept {
  const auto& on_message = *static_cast<const OnMessage*>(context);
  on_message({reinterpret_cast<const std::byte*>(message), size});
}

class RustPublisher : public Publisher {
 public:
  explicit RustPublisher(WirecostTransportPublisher* publisher) : publisher_(publisher) {}
  ~RustPublisher() override { wirecost_transport_close_publisher(publisher_); }

  bool publish(Bytes message) override {
    const int taken = wirecost_transport_publish(publisher_, bytes_of(message), message.size());
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
    if (wirecost_transport_receive(subscriber_, most, give, &on_message_) < 0)
      throw Failure(wirecost_transport_why());
  }

 private:
  WirecostTransportSubscriber* subscriber_;
  OnMessage on_message_;
};

class RustRequester : public Requester {
 public:
  explicit RustRequester(WirecostTransportRequester* requester) : requester_(requester) {}
  ~RustRequester() override { wirecost_transport_close_requester(requester_); }

  bool ask(Bytes request, std::chrono::milliseconds time, const OnMessage& on_reply) override {
    const auto most = static_cast<std::uint64_t>(time.count());
    const int answered = wirecost_transport_ask(requester_, bytes_of(request), request.size(), most,
                                                give, const_cast<OnMessage*>(&on_reply));
    if (answered < 0) throw Failure(wirecost_transport_why());
    return answered > 0;
  }

 private:
  WirecostTransportRequester* requester_;
};

class RustReplier : public Subscriber {
 public:
  RustReplier(WirecostTransportReplier* replier, OnRequest on_request)
      : replier_(replier), on_request_(std::move(on_request)) {}
  ~RustReplier() override { wirecost_transport_close_replier(replier_); }

  void poll(std::chrono::milliseconds time) override {
    const auto most = static_cast<std::uint64_t>(time.count());
    if (wirecost_transport_poll_requests(replier_, most, take, this) < 0)
      throw Failure(wirecost_transport_why());
    if (!failure_.empty()) throw Failure(std::exchange(failure_, ""));
  }

 private:
  static void take(void* context, const std::uint8_t* request, std::size_t size,
                   WirecostTransportAnswer* answer) noexcept {
    auto& self = *static_cast<RustReplier*>(context);
    self.on_request_({reinterpret_cast<const std::byte*>(request), size}, [&self, answer] {
      if (wirecost_transport_answer(answer) < 0) self.failure_ = wirecost_transport_why();
    });
  }

  WirecostTransportReplier* replier_;
  OnRequest on_request_;
  std::string failure_;
};

}  // namespace wirecost::bench::transport
