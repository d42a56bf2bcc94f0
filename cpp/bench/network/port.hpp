// SPDX-License-Identifier: Apache-2.0
// One socket of the switch: a TAP device in a host's network namespace, and the link to that host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <vector>

namespace wirecost::bench::network {

/// What a link does to each frame that goes to a host.
struct Link {
  std::int64_t delay_ns;
  std::int64_t jitter_ns;  ///< Uniformly that much less or more than the delay.
  double loss;             ///< Probability, of each frame independently.
  double bits_per_ns;
  std::size_t queue_bytes;  ///< What may wait for the link; more is dropped.
};

struct Counts {
  std::uint64_t forwarded = 0;
  std::uint64_t lost = 0;     ///< By the link's loss.
  std::uint64_t dropped = 0;  ///< Because the queue was full.
  std::uint64_t cut = 0;      ///< While the link was down.
};

class Port {
 public:
  /// Makes the device `eth0` in the namespace that the descriptor holds. Throws std::system_error.
  explicit Port(int name_space);
  ~Port();
  Port(Port&& other) noexcept;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  Port& operator=(Port&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_down() const { return down_; }
  void set_down(bool down) { down_ = down; }

  /// The next frame that the host has sent; 0 bytes where there is none.
  std::size_t read(std::span<std::byte> frame) const;

  /// Takes a frame for the host, to be delivered by the link's rules and in order.
  void send(std::span<const std::byte> frame, std::int64_t now_ns, const Link& link,
            std::mt19937_64& random, Counts& counts);

  /// Gives the host what is due; returns when the next frame is, or -1.
  std::int64_t deliver(std::int64_t now_ns, Counts& counts);

 private:
  struct Waiting {
    std::int64_t due_ns;
    std::vector<std::byte> frame;
  };

  int descriptor_ = -1;
  bool down_ = false;
  std::int64_t link_free_ns_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace wirecost::bench::network
