// SPDX-License-Identifier: Apache-2.0
#include "perf_group.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "undisturbed.hpp"
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

CounterEntry PerfGroup::add(std::size_t index, perf_event_attr attributes) {
  CounterEntry entry{};
  attributes.size = sizeof(attributes);
  attributes.disabled = 0;
  attributes.exclude_kernel = 0;
  attributes.exclude_user = 0;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  entry.status = CounterStatus::counted;
  int file = perf_event_open(attributes, leader_);
  // A tracepoint lies in the kernel: counted in user mode only, it would be 0.
  const bool in_user = attributes.type != PERF_TYPE_TRACEPOINT;
  if (file < 0 && in_user && (errno == EACCES || errno == EPERM)) {
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    entry.status = CounterStatus::user_only;
    file = perf_event_open(attributes, leader_);
  }
  if (file < 0) {
    entry.status = CounterStatus::unavailable;
    entry.error = errno;
    return entry;
  }
  files_[index] = file;
  if (leader_ < 0) leader_ = file;
  opened_ |= static_cast<std::uint8_t>(1U << index);
  return entry;
}

void PerfGroup::map_pages() {
  if (empty()) return;
#ifdef __x86_64__
  mapped_ = map_all();
  if (!mapped_) unmap_pages();
#endif
}

bool PerfGroup::map_all() {
  for (std::size_t i = 0; i < max_counters; ++i) {
    if (files_[i] < 0) continue;
    void* page = mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, files_[i], 0);
    if (page == MAP_FAILED) return false;
    pages_[i] = static_cast<perf_event_mmap_page*>(page);
    if (!pages_[i]->cap_user_rdpmc) return false;
  }
  return true;
}

void PerfGroup::unmap_pages() {
  for (perf_event_mmap_page*& page : pages_) {
    if (page != nullptr) munmap(page, page_size());
    page = nullptr;
  }
}

PerfGroup::~PerfGroup() {
  unmap_pages();
  for (const int file : files_)
    if (file >= 0) close(file);
}

void PerfGroup::read_pages(Snapshot& snapshot) const {
  for (std::size_t i = 0; i < max_counters; ++i) {
    if (pages_[i] == nullptr) continue;
    const UserReading reading = read_in_user_space(pages_[i], rdpmc);
    snapshot.set(i, reading.value, reading.enabled_ns, reading.running_ns);
    if (reading.on_processor) snapshot.set_counting(i);
  }
}

void PerfGroup::read_file(Snapshot& snapshot) const {
  struct {
    std::uint64_t count = 0, enabled_ns = 0, running_ns = 0;
    std::array<std::uint64_t, max_counters> values{};
  } group;
  // A failed read leaves zeros: times that did not run, and so no values.
  const Undisturbed undisturbed;
  [[maybe_unused]] const auto got = ::read(leader_, &group, sizeof(group));
  std::size_t next = 0;
  for (std::size_t i = 0; i < max_counters; ++i)
    if (files_[i] >= 0) snapshot.set(i, group.values[next++], group.enabled_ns, group.running_ns);
  // Two reads within one tick of the kernel's clock differ exactly, unless the group never ran.
  if (group.running_ns != 0) snapshot.counting |= opened_;
}

}  // namespace wirecost::probe
