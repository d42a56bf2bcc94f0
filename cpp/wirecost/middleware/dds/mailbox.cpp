// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/mailbox.hpp"

#include <iterator>
#include <utility>

namespace wirecost::middleware {

namespace {

std::size_t cost(const Letter& letter) { return sizeof(Letter) + letter.message.size; }

}  // namespace

void Mailbox::put(Letter letter) {
  const std::lock_guard lock(mutex_);
  if (cost(letter) > max_bytes_ - held_bytes_) {
    ++dropped_;
    return;
  }
  held_bytes_ += cost(letter);
  letters_.push_back(std::move(letter));
  arrived_.notify_one();
}

std::vector<Letter> Mailbox::take(std::chrono::nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, timeout, [this] { return !letters_.empty(); });
  std::vector<Letter> taken(std::make_move_iterator(letters_.begin()),
                            std::make_move_iterator(letters_.end()));
  letters_.clear();
  held_bytes_ = 0;
  return taken;
}

std::size_t Mailbox::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace wirecost::middleware
