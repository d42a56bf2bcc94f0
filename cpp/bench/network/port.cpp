// SPDX-License-Identifier: Apache-2.0
#include "bench/network/port.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace wirecost::bench::network {

namespace {

/// Delayed frames of a link; its rate and delay need fewer, unless they are absurd.
constexpr std::size_t most_waiting = 1U << 16U;

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Port::Port(int name_space) {
  check(setns(name_space, CLONE_NEWNET), "setns");
  descriptor_ = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  check(descriptor_, "/dev/net/tun");
  ifreq request{};
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  check(ioctl(descriptor_, TUNSETIFF, &request), "TUNSETIFF");
}

Port::~Port() {
  if (descriptor_ >= 0) close(descriptor_);
}

Port::Port(Port&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      down_(other.down_),
      link_free_ns_(other.link_free_ns_),
      waiting_(std::move(other.waiting_)) {}

std::size_t Port::read(std::span<std::byte> frame) const {
  const ssize_t got = ::read(descriptor_, frame.data(), frame.size());
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

void Port::send(std::span<const std::byte> frame, std::int64_t now_ns, const Link& link,
                std::mt19937_64& random, Counts& counts) {
  if (down_) {
    ++counts.cut;
    return;
  }
  if (std::bernoulli_distribution(link.loss)(random)) {
    ++counts.lost;
    return;
  }
  const std::int64_t begin = std::max(now_ns, link_free_ns_);
  const double backlog_bits = static_cast<double>(begin - now_ns) * link.bits_per_ns;
  if (backlog_bits > 8.0 * static_cast<double>(link.queue_bytes) ||
      waiting_.size() >= most_waiting) {
    ++counts.dropped;
    return;
  }
  const double bits = 8.0 * static_cast<double>(frame.size());
  link_free_ns_ = begin + static_cast<std::int64_t>(bits / link.bits_per_ns);
  std::uniform_int_distribution<std::int64_t> jitter(-link.jitter_ns, link.jitter_ns);
  const std::int64_t before = waiting_.empty() ? 0 : waiting_.back().due_ns;
  const std::int64_t due = std::max(before, link_free_ns_ + link.delay_ns + jitter(random));
  waiting_.push_back({due, {frame.begin(), frame.end()}});
}

std::int64_t Port::deliver(std::int64_t now_ns, Counts& counts) {
  while (!waiting_.empty() && waiting_.front().due_ns <= now_ns) {
    if (down_) {
      ++counts.cut;  // It was under way when the link went down.
    } else {
      const auto& frame = waiting_.front().frame;
      // A host whose interface is down takes nothing, as with a real one.
      const bool taken = write(descriptor_, frame.data(), frame.size()) >= 0;
      ++(taken ? counts.forwarded : counts.dropped);
    }
    waiting_.pop_front();
  }
  return waiting_.empty() ? -1 : waiting_.front().due_ns;
}

}  // namespace wirecost::bench::network
