// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "wirecost/middleware/dds/discovery.hpp"

namespace wirecost::middleware {

/// Who has found us, read from the ACKNACK submessages (RTPS 8.3.7.1) that arrive. Discovery
/// reports whom we found, never who found us: a message that is written in between does not
/// reach a volatile reader, and nobody counts it as lost.
class Acknowledgements {
 public:
  /// One more reader or writer of ours was announced, or its end was: a numbered sample each.
  void announced(bool writer) { ++announced_[writer ? 1 : 0]; }

  /// A datagram from the network; anything that is no RTPS message is ignored.
  void received(std::span<const std::uint8_t> datagram);

  /// Whether the participant that the endpoint belongs to has all announcements of our readers
  /// (or of our writers).
  bool has_announcements(const Guid& endpoint, bool of_writers) const;
  /// Whether a reliable reader has ever acknowledged to our writer, as it does once it has found
  /// it.
  bool has_answered(const Guid& reader, const Guid& writer) const;

 private:
  using Entity = std::array<std::uint8_t, 4>;
  using Prefix = std::array<std::uint8_t, 12>;
  struct Announced {
    std::array<std::uint64_t, 2> up_to{};
  };

  void acknowledged(const Guid& reader, const Entity& writer, std::uint64_t up_to);

  std::array<std::atomic<std::uint64_t>, 2> announced_{};
  mutable std::mutex mutex_;
  std::map<Prefix, Announced> known_;
  std::set<std::pair<Guid, Entity>> answered_;
};

}  // namespace wirecost::middleware
