// SPDX-License-Identifier: Apache-2.0
// The content of a message as bench/transport/protocol.py prescribes it: filled, and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

constexpr std::size_t least_bytes = 24;
/// Of the trailer of wirecost's transports: stream, number, where the payload begins, magic.
constexpr std::size_t trailer_bytes = 24;

/// A message of one run, which lies in the same memory whatever its number. Behind the payload is
/// the trailer of wirecost's transports, so that Python's end takes what this one sends.
class Payload {
 public:
  /// Throws Failure for sizes that no message has.
  Payload(std::size_t size, std::uint64_t run);

  /// The next message to send, payload and trailer, which carries `number`.
  Bytes next(std::int64_t number);

  [[nodiscard]] std::size_t size() const { return bytes_.size() - trailer_bytes; }
  /// Whether every byte of a received payload is that of `number`.
  bool equals(Bytes payload, std::int64_t number);

 private:
  void set(std::int64_t number);

  std::vector<std::byte> bytes_;
  std::int64_t number_ = -2;
  std::uint64_t sent_ = 0;
};

/// The payload of a received message; empty for one without a trailer. In a row of blocks, as
/// iceoryx2 carries it, the message begins with the payload and ends with the trailer and the
/// payload's size.
Bytes payload_of(Bytes message);

struct Head {
  std::uint64_t run;
  std::int64_t number;
};

/// None for a payload whose end does not fit.
std::optional<Head> read_head(Bytes payload);

}  // namespace wirecost::bench::transport
