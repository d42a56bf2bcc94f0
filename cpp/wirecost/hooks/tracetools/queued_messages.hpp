// SPDX-License-Identifier: Apache-2.0
// When the messages of intra-process communication came into their ring buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph.hpp"

namespace wirecost::tracetools {

/// Not locked. Indices beyond the longest queue and buffers beyond the most are not followed.
class QueuedMessages {
 public:
  static constexpr std::size_t most_buffers = 4096;
  static constexpr std::size_t longest_queue = 1024;

  void enqueue(Handle buffer, std::uint64_t index, std::int64_t now) {
    if (index >= longest_queue || (buffers_.size() >= most_buffers && !buffers_.contains(buffer)))
      return;
    std::vector<std::int64_t>& times = buffers_[buffer];
    if (times.size() <= index) times.resize(std::max<std::size_t>(16, 2 * index + 1));
    times[index] = now;
  }

  /// 0 where it is not known.
  std::int64_t dequeue(Handle buffer, std::uint64_t index) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end() || index >= found->second.size()) return 0;
    return std::exchange(found->second[index], 0);
  }

 private:
  std::unordered_map<Handle, std::vector<std::int64_t>> buffers_;
};

}  // namespace wirecost::tracetools
