// SPDX-License-Identifier: Apache-2.0
// Threads that only allocate beside threads that only free (xmalloc-test of Lever and Boreham,
// malloc() Performance in a Multithreaded Linux Environment, USENIX 2000), as a driver's thread and
// the executor of its subscribers do. A single thread takes both parts in turn.
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "heap/cpp/patterns.hpp"
#include "heap/cpp/random.hpp"

namespace wirecost::bench::heap {

namespace {

constexpr std::size_t batch_blocks = 120;
using Batch = std::array<void*, batch_blocks>;

/// Blocks of messages: mostly names, headers and small lists, now and then a scan's buffer.
std::size_t size_of(Random& random) {
  const std::uint32_t choice = random.below(1000);
  if (choice < 700) return 16 + random.below(112);
  if (choice < 950) return 16 + random.below(1008);
  if (choice < 999) return 1024 + random.below(15 * 1024);
  return 65'536 + random.below(448 * 1024);
}

Batch filled(Random& random) {
  Batch batch;
  for (std::size_t i = 0; i < batch_blocks; ++i) batch[i] = make(size_of(random), i);
  return batch;
}

std::uint64_t emptied(const Batch& batch) {
  std::uint64_t sum = 0;
  for (void* const block : batch) sum += drop(block);
  return sum;
}

class Queue {
 public:
  void put(const Batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return used_ < ring_.size(); });
    ring_[(first_ + used_++) % ring_.size()] = batch;
    lock.unlock();
    changed_.notify_all();
  }

  Batch get() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return used_ > 0; });
    const Batch batch = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --used_;
    lock.unlock();
    changed_.notify_all();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Batch, 32> ring_;
  std::size_t first_ = 0;
  std::size_t used_ = 0;
};

}  // namespace

std::uint64_t xmalloc(unsigned threads, std::size_t operations) {
  const std::size_t pairs = threads == 1 ? 1 : threads / 2;
  const std::size_t batches = operations / batch_blocks / pairs;
  if (threads == 1) {
    Random random(1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batches; ++i) sum += emptied(filled(random));
    return sum;
  }
  const auto queue = std::make_unique<Queue>();
  return in_threads(2 * static_cast<unsigned>(pairs), [&](unsigned t) {
    Random random(t + 1);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      if (t % 2 == 0) {
        queue->put(filled(random));
      } else {
        sum += emptied(queue->get());
      }
    }
    return sum;
  });
}

}  // namespace wirecost::bench::heap
