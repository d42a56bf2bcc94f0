// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/queue.hpp"

#include <utility>

namespace wirecost::middleware {
namespace {

// What a message takes beside its bytes, so that empty ones are bounded too.
constexpr std::size_t overhead = sizeof(Message) + 32;

}  // namespace

bool Queue::put(Message message) {
  {
    const std::scoped_lock lock(mutex_);
    Count& count = counts_[message.channel];
    ++count.received;
    count.bytes += message.size;
    const std::size_t bytes = message.size + overhead;
    if (bytes > max_bytes_ - held_bytes_) {
      ++count.dropped;
      missing_[message.channel] += 1 + message.missed;
      return false;
    }
    message.missed += std::exchange(missing_[message.channel], 0);
    held_bytes_ += bytes;
    messages_.push_back(std::move(message));
  }
  arrived_.notify_one();
  return true;
}

std::vector<Message> Queue::take(std::size_t max_messages, std::chrono::nanoseconds timeout) {
  std::vector<Message> taken;
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, timeout, [&] { return !messages_.empty(); });
  while (!messages_.empty() && taken.size() < max_messages) {
    held_bytes_ -= messages_.front().size + overhead;
    taken.push_back(std::move(messages_.front()));
    messages_.pop_front();
  }
  return taken;
}

std::map<std::uint32_t, Queue::Count> Queue::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace wirecost::middleware
