// SPDX-License-Identifier: Apache-2.0
// iceoryx2: shared memory without a daemon; an event wakes the subscriber, unless it polls.
#include "bench/transport/middlewares/rust_ends.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr int own_depth = 2;

/// Looks for messages without pause, which takes a whole core.
class PollingSubscriber : public Subscriber {
 public:
  PollingSubscriber(WirecostTransportSubscriber* subscriber, const OnMessage& on_message)
      : subscriber_(subscriber, [this, on_message](Bytes message) {
          arrived_ = true;
          on_message(message);
        }) {}

  void poll(std::chrono::milliseconds time) override {
    using Clock = std::chrono::steady_clock;
    arrived_ = false;
    const auto end = Clock::now() + time;
    do subscriber_.poll(std::chrono::milliseconds(0));
    while (!arrived_ && Clock::now() < end);
  }

 private:
  bool arrived_ = false;
  RustSubscriber subscriber_;
};

}  // namespace

Library library() { return {"iceoryx2", wirecost_iceoryx2_version(), {"iceoryx2"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<RustPublisher>(opened(wirecost_iceoryx2_publisher, settings, own_depth));
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  auto* const subscriber = opened(wirecost_iceoryx2_subscriber, settings, own_depth);
  if (settings.is_set("polls")) return std::make_unique<PollingSubscriber>(subscriber, on_message);
  return std::make_unique<RustSubscriber>(subscriber, std::move(on_message));
}

bool has_requests() { return true; }

std::unique_ptr<Requester> make_requester(const Settings& settings) {
  return std::make_unique<RustRequester>(opened(wirecost_iceoryx2_requester, settings, own_depth));
}

std::unique_ptr<Subscriber> make_replier(const Settings& settings, OnRequest on_request) {
  return std::make_unique<RustReplier>(opened(wirecost_iceoryx2_replier, settings, own_depth),
                                       std::move(on_request));
}

}  // namespace wirecost::bench::transport
