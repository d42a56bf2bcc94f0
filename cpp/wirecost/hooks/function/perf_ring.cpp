// SPDX-License-Identifier: Apache-2.0
#include "perf_ring.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace wirecost::function {
namespace {

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// A sample of `PerfRing::sample_type` with one register.
struct Sample {
  std::uint32_t process, thread;
  std::uint64_t time, id, abi, stack;
};
constexpr std::size_t without_register = sizeof(Sample) - sizeof(std::uint64_t);

struct Lost {
  std::uint64_t id, lost;
};

/// Also of PERF_RECORD_EXIT.
struct Fork {
  std::uint32_t process, parent, thread, parent_thread;
  std::uint64_t time;
};

}  // namespace

PerfRing::PerfRing(int file, std::size_t bytes) : file_(file), bytes_(bytes) {
  void* mapped = mmap(nullptr, page_size() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) page_ = static_cast<perf_event_mmap_page*>(mapped);
}

PerfRing::~PerfRing() {
  if (page_ != nullptr) munmap(page_, page_size() + bytes_);
}

void PerfRing::copy(std::uint64_t at, void* to, std::size_t bytes) const {
  const auto* data = reinterpret_cast<const std::byte*>(page_) + page_size();
  const std::size_t start = at % bytes_;
  const std::size_t first = std::min(bytes, bytes_ - start);
  std::memcpy(to, data + start, first);
  std::memcpy(static_cast<std::byte*>(to) + first, data, bytes - first);
}

void PerfRing::drain(std::vector<Hit>& hits) {
  const std::uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
  std::uint64_t tail = page_->data_tail;
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header header;
    copy(tail, &header, sizeof(header));
    if (header.size < sizeof(header) || header.size > head - tail) break;
    const std::uint64_t content = tail + sizeof(header);
    const std::size_t size = header.size - sizeof(header);
    if (header.type == PERF_RECORD_SAMPLE && size >= without_register) {
      Sample sample{};
      copy(content, &sample, std::min(size, sizeof(sample)));
      hits.push_back({.time_ns = static_cast<std::int64_t>(sample.time),
                      .event = sample.id,
                      .process = sample.process,
                      .thread = sample.thread,
                      .stack = sample.stack,
                      .lost = 0,
                      .parent = 0});
    } else if (header.type == PERF_RECORD_LOST && size >= sizeof(Lost)) {
      Lost lost{};
      copy(content, &lost, sizeof(lost));
      hits.push_back({.lost = lost.lost});
    } else if ((header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT) &&
               size >= sizeof(Fork)) {
      const bool made = header.type == PERF_RECORD_FORK;
      Fork fork{};
      copy(content, &fork, sizeof(fork));
      hits.push_back({.time_ns = static_cast<std::int64_t>(fork.time),
                      .process = fork.process,
                      .thread = fork.thread,
                      .parent = made ? fork.parent : 0,
                      .ended = !made});
    }
    tail += header.size;
  }
  __atomic_store_n(&page_->data_tail, head, __ATOMIC_RELEASE);
}

}  // namespace wirecost::function
