// SPDX-License-Identifier: Apache-2.0
// A contender carries notifications, seen as stages over a batch of messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wirecost/message/notification.hpp"

namespace wirecost::bench {

enum Stage : std::uint8_t { fill, size, encode, decode, read_all, destroy, stages };
constexpr const char* stage_names[stages] = {"fill", "size", "encode", "decode", "read", "destroy"};

/// What reading a message touches: every number and every byte, folded so that none can be skipped.
class Sink {
 public:
  void number(std::uint64_t value) { sum_ += value; }
  void bytes(std::string_view value) {
    sum_ += value.size();
    std::size_t i = 0;
    for (; i + 8 <= value.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, value.data() + i, 8);
      sum_ ^= word;
    }
    for (; i < value.size(); ++i) sum_ += static_cast<unsigned char>(value[i]);
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

struct About {
  std::string name, mode, wire, library, guarantees;
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual const About& about() const = 0;

  /// The batch to work on; called before anything else.
  virtual void load(std::span<const NotificationValue> batch) = 0;
  /// One stage over the whole batch; stages come in their order.
  virtual void run(Stage stage) = 0;
  /// The whole path of each of the first `count` messages of the batch, one after the other.
  virtual void run_total(std::size_t count) = 0;
  /// The bytes of the last of them; empty for a floor that sends what it made beforehand.
  virtual std::span<const std::byte> last() const = 0;
  /// What reading found since the last call: equal for contenders that read the same.
  virtual std::uint64_t take_sum() = 0;

  /// The bytes of message `i`, after `encode`.
  virtual std::span<const std::byte> encoded(std::size_t i) const = 0;
  /// What was decoded of message `i`, after `decode`.
  virtual NotificationValue decoded(std::size_t i) const = 0;
  /// Fills the output buffer with `value`, so that bytes nobody writes show.
  virtual void poison(std::byte value) = 0;
};

}  // namespace wirecost::bench
