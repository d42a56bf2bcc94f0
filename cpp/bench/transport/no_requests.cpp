// SPDX-License-Identifier: Apache-2.0
// For middlewares whose native client has no requests.
#include "bench/transport/requests.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr auto why =
    "this native client publishes and subscribes only; use --client python for requests";

}  // namespace

bool has_requests() { return false; }

std::unique_ptr<Requester> make_requester(const Settings& /*settings*/) { throw Failure(why); }

// NOLINTNEXTLINE(performance-unnecessary-value-param): other files keep it
std::unique_ptr<Subscriber> make_replier(const Settings& /*settings*/, OnRequest /*on_request*/) {
  throw Failure(why);
}

}  // namespace wirecost::bench::transport
