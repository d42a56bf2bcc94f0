// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/mailbox.hpp"

#include <iterator>
#include <utility>

namespace wirecost::middleware {

namespace {

std::size_t cost(const Envelope& envelope) { return sizeof(Envelope) + envelope.message.size; }

}  // namespace

void Mailbox::put(Envelope envelope) {
  const std::lock_guard lock(mutex_);
  if (cost(envelope) > max_bytes_ - held_bytes_) {
    ++dropped_;
    return;
  }
  held_bytes_ += cost(envelope);
  envelopes_.push_back(std::move(envelope));
  arrived_.notify_one();
}

std::vector<Envelope> Mailbox::take(std::chrono::nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, timeout, [this] { return !envelopes_.empty(); });
  std::vector<Envelope> taken(std::make_move_iterator(envelopes_.begin()),
                              std::make_move_iterator(envelopes_.end()));
  envelopes_.clear();
  held_bytes_ = 0;
  return taken;
}

std::size_t Mailbox::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace wirecost::middleware
