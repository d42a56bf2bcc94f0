// SPDX-License-Identifier: Apache-2.0
// iceoryx2: shared memory without a daemon; an event wakes the subscriber.
#include "bench/transport/middlewares/rust_ends.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr int own_depth = 2;

}  // namespace

Library library() { return {"iceoryx2", wirecost_iceoryx2_version(), {"iceoryx2"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<RustPublisher>(opened(wirecost_iceoryx2_publisher, settings, own_depth));
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<RustSubscriber>(opened(wirecost_iceoryx2_subscriber, settings, own_depth),
                                          std::move(on_message));
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
