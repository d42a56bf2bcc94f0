// SPDX-License-Identifier: Apache-2.0
#include "counters.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "event_names.hpp"
#include "user_read.hpp"

namespace wirecost::probe {
namespace {

int perf_event_open(perf_event_attr& attributes, int leader) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

std::uint64_t rdpmc([[maybe_unused]] std::uint32_t index) {
#ifdef __x86_64__
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
  return (std::uint64_t{high} << 32) | low;
#else
  return 0;
#endif
}

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void set_differences(Record& record, const Snapshot& begin, const Snapshot& end,
                     std::uint8_t opened) {
  record.counted = 0;
  record.scaled = 0;
  for (std::size_t i = 0; i < max_counters; ++i) {
    record.counters[i] = 0;
    const auto bit = static_cast<std::uint8_t>(1U << i);
    if ((opened & bit) == 0) continue;
    const std::uint64_t enabled = end.enabled_ns[i] - begin.enabled_ns[i];
    const std::uint64_t running = end.running_ns[i] - begin.running_ns[i];
    const bool ran = running != 0 || (enabled == 0 && (begin.counting & end.counting & bit) != 0);
    if (!ran) continue;
    std::uint64_t count = end.values[i] - begin.values[i];
    if (running < enabled) {
      const double estimate =
          static_cast<double>(count) * static_cast<double>(enabled) / static_cast<double>(running);
      count = static_cast<std::uint64_t>(std::min(std::round(estimate), 0x1p63));
      record.scaled |= bit;
    }
    record.counters[i] = count;
    record.counted |= bit;
  }
}

Counters::Counters(const std::vector<std::string>& names) {
  files_.fill(-1);
  for (std::size_t i = 0; i < std::min(names.size(), max_counters); ++i) open(i, names[i]);
  if (leader_ < 0) return;
  access_ = hardware_only_ && map_pages() ? CounterAccess::user_space : CounterAccess::system_call;
}

void Counters::open(std::size_t index, const std::string& name) {
  CounterEntry& entry = entries_.emplace_back();
  entry.name.fill('\0');
  std::copy_n(name.begin(), std::min(name.size(), name_bytes - 1), entry.name.begin());
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  errno = EINVAL;
  if (encode_event(name, attributes)) {
    attributes.size = sizeof(attributes);
    attributes.disabled = 0;
    attributes.exclude_kernel = 0;
    attributes.exclude_user = 0;
    attributes.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    entry.status = CounterStatus::counted;
    files_[index] = perf_event_open(attributes, leader_);
    if (files_[index] < 0 && (errno == EACCES || errno == EPERM)) {
      attributes.exclude_kernel = 1;
      attributes.exclude_hv = 1;
      entry.status = CounterStatus::user_only;
      files_[index] = perf_event_open(attributes, leader_);
    }
  }
  if (files_[index] < 0) {
    entry.status = CounterStatus::unavailable;
    entry.error = errno;
    return;
  }
  if (leader_ < 0) leader_ = files_[index];
  opened_ |= static_cast<std::uint8_t>(1U << index);
  hardware_only_ = hardware_only_ && attributes.type != PERF_TYPE_SOFTWARE;
}

bool Counters::map_pages() {
#ifndef __x86_64__
  return false;
#endif
  for (std::size_t i = 0; i < max_counters; ++i) {
    if (files_[i] < 0) continue;
    void* page = mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, files_[i], 0);
    pages_[i] = page == MAP_FAILED ? nullptr : static_cast<perf_event_mmap_page*>(page);
    if (pages_[i] == nullptr || !pages_[i]->cap_user_rdpmc) {
      unmap_pages();
      return false;
    }
  }
  return true;
}

void Counters::unmap_pages() {
  for (perf_event_mmap_page*& page : pages_) {
    if (page != nullptr) munmap(page, page_size());
    page = nullptr;
  }
}

Counters::~Counters() {
  unmap_pages();
  for (const int file : files_)
    if (file >= 0) close(file);
}

void Counters::read(Snapshot& snapshot) const {
  if (access_ == CounterAccess::system_call) return read_group(snapshot);
  snapshot.counting = 0;
  for (std::size_t i = 0; i < max_counters; ++i) {
    if (pages_[i] == nullptr) continue;
    const UserReading reading = read_in_user_space(pages_[i], rdpmc);
    snapshot.values[i] = reading.value;
    snapshot.enabled_ns[i] = reading.enabled_ns;
    snapshot.running_ns[i] = reading.running_ns;
    if (reading.on_processor) snapshot.counting |= static_cast<std::uint8_t>(1U << i);
  }
}

void Counters::read_group(Snapshot& snapshot) const {
  struct {
    std::uint64_t count, enabled_ns, running_ns;
    std::array<std::uint64_t, max_counters> values;
  } group;
  snapshot.counting = 0;
  snapshot.enabled_ns = {};
  snapshot.running_ns = {};
  if (::read(leader_, &group, sizeof(group)) <= 0) return;
  std::size_t next = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (files_[i] < 0) continue;
    snapshot.values[i] = group.values[next++];
    snapshot.enabled_ns[i] = group.enabled_ns;
    snapshot.running_ns[i] = group.running_ns;
  }
  // Two reads within one tick of the kernel's clock differ exactly, unless the group never ran.
  if (group.running_ns != 0) snapshot.counting = opened_;
}

}  // namespace wirecost::probe
