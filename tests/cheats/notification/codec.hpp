// SPDX-License-Identifier: Apache-2.0
// An honest codec of the ros1 wire, ours, of which each cheat changes a function.
#pragma once

#include <optional>
#include <stdexcept>

struct Honest {
  using Message = wire::rsb_msgs::Notification;

  static std::span<const std::byte> encode(const Message& m, std::span<std::byte> buffer) {
    return wire::rsb_msgs::ros1::encode(m, buffer).bytes;
  }
  static void decode(std::span<const std::byte> bytes, Message& m) {
    if (wire::rsb_msgs::ros1::decode(bytes, m)) throw std::runtime_error("it does not decode");
  }
};
