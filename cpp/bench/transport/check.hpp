// SPDX-License-Identifier: Apache-2.0
// What a received payload is worth, as bench/transport/protocol.py has it in records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "bench/transport/middleware.hpp"
#include "bench/transport/payload.hpp"

namespace wirecost::bench::transport {

/// Every byte was compared; number, end and size alone; other content.
constexpr std::int64_t whole = 1;
constexpr std::int64_t head_only = 0;
constexpr std::int64_t wrong = -1;
constexpr std::int64_t unreadable = -2;

struct Checked {
  /// Of the message, or `unreadable`.
  std::int64_t number;
  std::int64_t found;
};

class Check {
 public:
  /// `every`: compares each so-manieth message whole, by its number; 0: none.
  Check(std::size_t size, std::uint64_t run, std::int64_t every)
      : expected_(size, run), run_(run), every_(every) {}

  /// None for what belongs to another run.
  std::optional<Checked> operator()(Bytes payload);

 private:
  Payload expected_;
  std::uint64_t run_;
  std::int64_t every_;
};

}  // namespace wirecost::bench::transport
