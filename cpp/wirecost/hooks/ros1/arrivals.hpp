// SPDX-License-Identifier: Apache-2.0
// What waits in queues of roscpp's, by addresses.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "callback.hpp"

namespace wirecost::ros1 {

/// Forgets what nobody asks for, as a message that the queue drops: its place is given away.
/// Without locks; what two threads put into one place at once may be forgotten as well.
class Arrivals {
 public:
  void put(const void* key, const Arrival& arrival) {
    const std::size_t first = place_of(key);
    for (std::size_t i = 0; i < tries; ++i) {
      const void* expected = nullptr;
      Entry& entry = entries_[(first + i) % entries_.size()];
      if (!entry.key.compare_exchange_strong(expected, taken(), std::memory_order_acquire)) {
        if (expected != key) continue;
        // The address of something that was dropped, used again.
        if (!entry.key.compare_exchange_strong(expected, taken(), std::memory_order_acquire))
          continue;
      }
      entry.arrival = arrival;
      entry.key.store(key, std::memory_order_release);
      return;
    }
    Entry& entry = entries_[first];
    const void* old = entry.key.load(std::memory_order_relaxed);
    if (old == taken() ||
        !entry.key.compare_exchange_strong(old, taken(), std::memory_order_acquire))
      return;
    entry.arrival = arrival;
    entry.key.store(key, std::memory_order_release);
  }

  /// Without a time where it is not known.
  Arrival take(const void* key) {
    const std::size_t first = place_of(key);
    for (std::size_t i = 0; i < tries; ++i) {
      Entry& entry = entries_[(first + i) % entries_.size()];
      const void* expected = key;
      if (!entry.key.compare_exchange_strong(expected, taken(), std::memory_order_acquire))
        continue;
      const Arrival found = entry.arrival;
      entry.key.store(nullptr, std::memory_order_release);
      return found;
    }
    return {};
  }

 private:
  static constexpr std::size_t tries = 8;

  struct Entry {
    std::atomic<const void*> key{nullptr};
    Arrival arrival;
  };

  /// Stands in an entry while it is written or read.
  const void* taken() const { return this; }

  std::size_t place_of(const void* key) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(key) >> 4;
    return (bits * 0x9e3779b97f4a7c15ULL >> 32) % entries_.size();
  }

  std::array<Entry, 4096> entries_{};
};

}  // namespace wirecost::ros1
