// SPDX-License-Identifier: Apache-2.0
// When the messages of intra-process communication came into their ring buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph.hpp"

namespace wirecost::tracetools {

/// Not locked. What finds no room, which may be shared with others, is not followed.
class QueuedMessages {
 public:
  static constexpr std::size_t longest_queue = 1024;
  /// What a buffer takes beside its times, in times.
  static constexpr std::size_t buffer_room = 16;

  /// `room`: how many times of 8 bytes there may be still; it outlives this object.
  explicit QueuedMessages(std::size_t& room) : room_(&room) {}

  /// False where the message is not followed.
  bool enqueue(Handle buffer, std::uint64_t index, std::int64_t now) {
    if (index >= longest_queue) return false;
    auto found = buffers_.find(buffer);
    const std::size_t known = found == buffers_.end() ? 0 : found->second.size();
    const std::size_t more =
        (index < known ? 0 : index + 1 - known) + (found == buffers_.end() ? buffer_room : 0);
    if (more > *room_) return false;
    if (found == buffers_.end()) found = buffers_.try_emplace(buffer).first;
    if (index >= known) found->second.resize(index + 1);
    *room_ -= more;
    found->second[index] = now;
    return true;
  }

  /// 0 where it is not known.
  std::int64_t dequeue(Handle buffer, std::uint64_t index) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end() || index >= found->second.size()) return 0;
    return std::exchange(found->second[index], 0);
  }

 private:
  std::unordered_map<Handle, std::vector<std::int64_t>> buffers_;
  std::size_t* room_;
};

}  // namespace wirecost::tracetools
