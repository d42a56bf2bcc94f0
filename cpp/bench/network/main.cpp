// SPDX-License-Identifier: Apache-2.0
// network_relay DELAY_NS JITTER_NS LOSS BITS_PER_NS QUEUE_BYTES SEED NAMESPACE...
//
// A switch in user space, for kernels without netem. Makes a TAP device `eth0` in each namespace,
// given as an inherited descriptor, and forwards Ethernet frames between them. What goes to a host
// is delayed, lost and limited; order is kept. Host N has the MAC address 02:77:63:00:NN:NN.
//
// Prints `ready`. Then each line on standard input is answered by one: `down N` and `up N` by `ok`,
// `counts` by frames forwarded, lost, dropped and cut. It ends with its standard input.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/network/port.hpp"

namespace {

using wirecost::bench::network::Counts;
using wirecost::bench::network::Link;
using wirecost::bench::network::Port;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::size_t most_frame = 16'384;
constexpr std::size_t least_frame = 14;  // Ethernet's header.
constexpr int frames_per_turn = 64;  // Of one host, before the others and the clock have theirs.

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

class Switch {
 public:
  Switch(const Link& link, std::uint64_t seed, std::vector<Port> ports)
      : link_(link), random_(seed), ports_(std::move(ports)) {}

  /// Until standard input ends.
  void run() {
    std::vector<pollfd> polled{{STDIN_FILENO, POLLIN, 0}};
    for (const Port& port : ports_) polled.push_back({port.descriptor(), POLLIN, 0});
    while (true) {
      timespec left{};
      const std::int64_t next = deliver();
      if (next >= 0) {
        const std::int64_t wait = std::max<std::int64_t>(0, next - now_ns());
        left = {wait / second_ns, wait % second_ns};
      }
      if (ppoll(polled.data(), polled.size(), next >= 0 ? &left : nullptr, nullptr) <= 0) continue;
      for (std::size_t host = 0; host < ports_.size(); ++host) {
        if ((polled[host + 1].revents & POLLIN) != 0) forward(host);
      }
      if (polled[0].revents != 0 && !listen()) return;
    }
  }

 private:
  std::int64_t deliver() {
    std::int64_t next = -1;
    const std::int64_t now = now_ns();
    for (Port& port : ports_) {
      const std::int64_t due = port.deliver(now, counts_);
      if (due >= 0 && (next < 0 || due < next)) next = due;
    }
    return next;
  }

  void forward(std::size_t from) {
    for (int turn = 0; turn < frames_per_turn; ++turn) {
      const std::size_t size = ports_[from].read(frame_);
      if (size < least_frame) return;
      const std::span frame(frame_.data(), size);
      if (ports_[from].is_down()) {
        ++counts_.cut;
        continue;
      }
      const std::int64_t now = now_ns();
      const std::size_t to = host_of(frame);
      for (std::size_t host = 0; host < ports_.size(); ++host) {
        if (host != from && (to == host || to >= ports_.size())) {
          ports_[host].send(frame, now, link_, random_, counts_);
        }
      }
    }
  }

  /// The host that a frame is for; one that does not exist where all shall have it.
  static std::size_t host_of(std::span<const std::byte> frame) {
    constexpr std::array ours{std::byte{0x02}, std::byte{0x77}, std::byte{0x63}, std::byte{0}};
    if (!std::equal(ours.begin(), ours.end(), frame.begin())) return SIZE_MAX;
    return std::to_integer<std::size_t>(frame[4]) * 256 + std::to_integer<std::size_t>(frame[5]);
  }

  /// Reads commands; false once their writer is gone.
  bool listen() {
    std::array<char, 256> buffer{};
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got <= 0) return false;
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = received_.find('\n')) != std::string::npos;) {
      obey(std::string_view(received_).substr(0, end));
      received_.erase(0, end + 1);
    }
    return received_.size() < buffer.size();
  }

  void obey(std::string_view command) {
    const std::size_t space = command.find(' ');
    const std::string_view verb = command.substr(0, space);
    std::size_t host = SIZE_MAX;
    if (space != std::string_view::npos) {
      std::from_chars(command.data() + space + 1, command.data() + command.size(), host);
    }
    if (verb == "counts") {
      std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts_.forwarded,
                  counts_.lost, counts_.dropped, counts_.cut);
    } else if ((verb == "down" || verb == "up") && host < ports_.size()) {
      ports_[host].set_down(verb == "down");
      std::puts("ok");
    } else {
      std::puts("unknown");
    }
    std::fflush(stdout);
  }

  Link link_;
  std::mt19937_64 random_;
  std::vector<Port> ports_;
  Counts counts_;
  std::array<std::byte, most_frame> frame_{};
  std::string received_;
};

/// A wire waits for no processor: before ordinary processes where that is permitted.
void be_prompt() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const sched_param first{.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &first);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int options = 7;
  if (argc < options + 2) {
    std::fprintf(stderr,
                 "usage: network_relay DELAY_NS JITTER_NS LOSS BITS_PER_NS QUEUE_BYTES SEED "
                 "NAMESPACE NAMESPACE...\n");
    return 2;
  }
  const Link link{std::strtoll(argv[1], nullptr, 10), std::strtoll(argv[2], nullptr, 10),
                  std::strtod(argv[3], nullptr), std::strtod(argv[4], nullptr),
                  std::strtoull(argv[5], nullptr, 10)};
  if (link.delay_ns < 0 || link.jitter_ns < 0 || !(link.loss >= 0 && link.loss <= 1) ||
      !(link.bits_per_ns > 0)) {
    std::fprintf(stderr, "network_relay: a link cannot be like that\n");
    return 2;
  }
  try {
    std::vector<Port> ports;
    for (int i = options; i < argc; ++i) {
      ports.emplace_back(static_cast<int>(std::strtol(argv[i], nullptr, 10)));
    }
    be_prompt();
    std::puts("ready");
    std::fflush(stdout);
    Switch(link, std::strtoull(argv[6], nullptr, 10), std::move(ports)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "network_relay: %s\n", error.what());
    return 1;
  }
  return 0;
}
