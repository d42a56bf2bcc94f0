// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/memory.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

namespace wirecost::arrow {

namespace {

constexpr std::size_t smallest = 1U << 14U;  // what is smaller malloc keeps itself
constexpr std::size_t most_kept = 32U << 20U;

/// Pieces that nobody uses, the last one given back first.
class Kept {
 public:
  /// Returns the smallest piece of at least this size and less than twice as large, if there is
  /// one.
  Memory take(std::size_t size) {
    const std::lock_guard locked(mutex_);
    std::size_t best = count_;
    for (std::size_t i = count_; i-- != 0;)
      if (pieces_[i].size >= size && pieces_[i].size / 2 < size &&
          (best == count_ || pieces_[i].size < pieces_[best].size))
        best = i;
    if (best == count_) return {};
    const Memory piece = std::exchange(pieces_[best], pieces_[--count_]);
    pieces_[count_] = {};
    bytes_ -= piece.size;
    return piece;
  }

  bool give(Memory piece) {
    const std::lock_guard locked(mutex_);
    if (count_ == pieces_.size() || piece.size > most_kept - bytes_) return false;
    bytes_ += piece.size;
    pieces_[count_++] = piece;
    return true;
  }

 private:
  std::mutex mutex_;
  std::array<Memory, 128> pieces_{};
  std::size_t count_ = 0, bytes_ = 0;
};

Kept& kept() {
  static auto* const all = new Kept;  // which threads may outlive `main` with
  return *all;
}

}  // namespace

Memory take_memory(std::size_t size) {
  if (size >= smallest)
    if (const Memory piece = kept().take(size); piece.at != nullptr) return piece;
  auto* const fresh = static_cast<std::byte*>(std::malloc(size));
  if (fresh == nullptr) throw std::bad_alloc();
  return {fresh, size};
}

void give_memory(Memory memory) noexcept {
  if (memory.size < smallest || !kept().give(memory)) std::free(memory.at);
}

}  // namespace wirecost::arrow
