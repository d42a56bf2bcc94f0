// SPDX-License-Identifier: Apache-2.0
// The sections of a callback, by what roscpp was asked for.
#pragma once

#include <cstdint>
#include <string>

#include "callback.hpp"

namespace wirecost::ros1 {

CallbackSections of_subscription(const std::string& topic, const std::string& type,
                                 const Function& callback);
CallbackSections of_service(const std::string& service, const std::string& type,
                            const Function& callback);
/// `period_ns` is all that tells a timer from another with the same callback.
CallbackSections of_timer(std::int64_t period_ns, const Function& callback);

/// Of a topic that is published, found without a lock after the thread's first time and until its
/// end.
struct Publication {
  std::uint32_t section = 0;
  std::uint64_t topic_hash = 0;
};
Publication publication(const std::string& topic);

/// What identifies a message in all processes: its topic, its length, and its first bytes, in which
/// a header has a sequence number and a stamp. Never 0.
std::uint64_t identity(std::uint64_t topic_hash, const void* body, std::size_t bytes);

}  // namespace wirecost::ros1
