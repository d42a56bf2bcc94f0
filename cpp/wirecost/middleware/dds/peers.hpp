// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>

#include "wirecost/middleware/dds/discovery.hpp"

namespace wirecost::middleware {

/// The readers of others that a writer is matched with, or the reverse.
class Peers {
 public:
  explicit Peers(const Guid& own) : own_(own) {}

  /// From a matched status: which one, and whether it came or went.
  void changed(const eprosima::fastrtps::rtps::InstanceHandle_t& peer, int difference) {
    const Guid guid = guid_bytes(eprosima::fastrtps::rtps::iHandle2GUID(peer));
    if (std::equal(own_.begin(), own_.begin() + prefix_bytes, guid.begin())) return;
    const std::lock_guard lock(mutex_);
    if (difference > 0)
      guids_.insert(guid);
    else if (difference < 0)
      guids_.erase(guid);
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    guids_.clear();
  }

  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return guids_.size();
  }

  std::size_t count_if(const std::function<bool(const Guid&)>& condition) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(guids_, condition));
  }

 private:
  static constexpr std::ptrdiff_t prefix_bytes = 12;

  const Guid own_;
  mutable std::mutex mutex_;
  std::set<Guid> guids_;
};

}  // namespace wirecost::middleware
