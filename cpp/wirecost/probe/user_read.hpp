// SPDX-License-Identifier: Apache-2.0
// A counter read without a system call, through the page that the kernel maps for it.
// Source: the comment on struct perf_event_mmap_page in linux/perf_event.h.
#pragma once

#include <linux/perf_event.h>

#include <atomic>
#include <cstdint>

namespace wirecost::probe {

struct UserReading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;  ///< as of the last time that the kernel scheduled the counter
  std::uint64_t running_ns = 0;
  bool on_processor = false;
};

/// Reads the counter of `page`; `rdpmc(index)` gives the processor's register. The kernel changes
/// the page under a sequence lock: whatever was read between two different counts is thrown away.
template <class Rdpmc>
UserReading read_in_user_space(const volatile perf_event_mmap_page* page, Rdpmc rdpmc) {
  for (;;) {
    const std::uint32_t sequence = page->lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    UserReading reading{.value = static_cast<std::uint64_t>(page->offset),
                        .enabled_ns = page->time_enabled,
                        .running_ns = page->time_running};
    const std::uint32_t index = page->index;
    if (index != 0 && page->cap_user_rdpmc) {
      reading.on_processor = true;
      // The register is narrower than 64 bits and signed: its sign is carried up.
      const unsigned unused = 64U - (page->pmc_width & 63U);
      const std::uint64_t raw = rdpmc(index - 1);
      const std::int64_t wide = unused == 64 ? static_cast<std::int64_t>(raw)
                                             : static_cast<std::int64_t>(raw << unused) >> unused;
      reading.value += static_cast<std::uint64_t>(wide);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (page->lock == sequence) return reading;
  }
}

}  // namespace wirecost::probe
