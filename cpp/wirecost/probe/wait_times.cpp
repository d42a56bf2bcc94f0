// SPDX-License-Identifier: Apache-2.0
#include "wait_times.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "undisturbed.hpp"
#include "wirecost/probe/clock.hpp"

namespace wirecost::probe {

WaitTimes::~WaitTimes() {
  if (file_ >= 0) close(file_);
}

bool WaitTimes::add(std::size_t index, const std::string& name) {
  static constexpr std::array<const char*, quantities> names{"run-queue-wait-ns", "blocked-ns",
                                                             "processor-ns"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return false;
  if (found - names.begin() != processor) {
    if (file_ < 0) file_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    std::uint64_t ns = 0;
    if (!queued(ns)) return false;
  }
  const auto bit = static_cast<std::uint8_t>(1U << index);
  counters_of_[static_cast<std::size_t>(found - names.begin())] |= bit;
  opened_ |= bit;
  return true;
}

/// The second number: nanoseconds ready to run. The first is of the last clock tick or switch only.
bool WaitTimes::queued(std::uint64_t& ns) const {
  const Undisturbed undisturbed;
  std::array<char, 80> text{};
  const ssize_t size = file_ < 0 ? -1 : pread(file_, text.data(), text.size(), 0);
  if (size <= 0) return false;
  const char* begin = text.data();
  const char* end = begin + size;
  const char* at = std::find(begin, end, ' ');
  return at != end && std::from_chars(at + 1, end, ns).ec == std::errc{};
}

void WaitTimes::read(Snapshot& snapshot) {
  // In this order, so that what reading takes appears as time on the processor, not as waiting.
  const std::int64_t elapsed = monotonic_ns();
  const bool is_used = counters_of_[blocked] != 0 || counters_of_[processor] != 0;
  const std::int64_t used = is_used ? thread_processor_ns() : 0;
  set(snapshot, processor, static_cast<std::uint64_t>(used), true);
  if (file_ < 0) return;
  std::uint64_t queue = 0;
  const bool known = queued(queue);
  if (counters_of_[blocked] != 0) {
    // The clocks are not read at the same instant, and a count must not go back.
    const std::int64_t waited = elapsed - used - static_cast<std::int64_t>(queue);
    blocked_ns_ =
        std::max(blocked_ns_, static_cast<std::uint64_t>(std::max<std::int64_t>(0, waited)));
  }
  set(snapshot, run_queue, queue, known);
  set(snapshot, blocked, blocked_ns_, known);
}

void WaitTimes::set(Snapshot& snapshot, Quantity quantity, std::uint64_t ns, bool known) const {
  for (unsigned left = counters_of_[quantity]; left != 0; left &= left - 1)
    snapshot.set(static_cast<std::size_t>(std::countr_zero(left)), ns, 0, 0);
  if (known) snapshot.counting |= counters_of_[quantity];
}

}  // namespace wirecost::probe
