// SPDX-License-Identifier: Apache-2.0
// Where DDS endpoints meet, and what both libraries do alike.
#pragma once

#include <cstdint>
#include <string>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

/// `address`: the domain's number, and behind an @ the address of a network interface.
struct Domain {
  std::uint32_t number = 0;
  std::string interface = "127.0.0.1";

  explicit Domain(const std::string& address) {
    constexpr unsigned long last = 232;
    const auto at = address.find('@');
    const auto given = address.substr(0, at);
    if (given.empty() || given.find_first_not_of("0123456789") != std::string::npos ||
        given.size() > 3 || std::stoul(given) > last)
      throw Failure("address '" + address + "': a DDS domain is needed, 0 to 232");
    number = static_cast<std::uint32_t>(std::stoul(given));
    if (at != std::string::npos) interface = address.substr(at + 1);
  }

  [[nodiscard]] bool is_loopback() const { return interface.rfind("127.", 0) == 0; }
};

/// As ROS 2 names a topic in DDS.
inline std::string dds_topic(const Settings& settings) { return "rt/" + settings.topic; }

}  // namespace wirecost::bench::transport
