// SPDX-License-Identifier: Apache-2.0
// What the file of a middleware with requests gives the client beside middleware.hpp.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

class Requester {
 public:
  Requester() = default;
  Requester(const Requester&) = delete;
  Requester& operator=(const Requester&) = delete;
  virtual ~Requester() = default;

  /// Sends a request and gives its reply to `on_reply`; false where none came within the time.
  virtual bool ask(Bytes request, std::chrono::milliseconds time, const OnMessage& on_reply) = 0;
};

/// Called with each request, valid until it returns, and with what sends its content back.
using OnRequest = std::function<void(Bytes request, const std::function<void()>& answer)>;

// Without requests, no_requests.cpp defines these; they throw Failure.
bool has_requests();
std::unique_ptr<Requester> make_requester(const Settings& settings);
/// Its `poll` gives requests.
std::unique_ptr<Subscriber> make_replier(const Settings& settings, OnRequest on_request);

}  // namespace wirecost::bench::transport
