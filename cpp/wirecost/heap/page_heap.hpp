// SPDX-License-Identifier: Apache-2.0
// Runs of pages: found in constant time, merged with their free neighbours when given back.
// Free runs lie in lists by length, eight a doubling, with a bit for every list that has one
// (two-level segregated fit: Masmano, Ripoll, Crespo and Real, ECRTS 2004).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wirecost::heap {

/// Pages are numbered from the start of the reservation; number 0 is never handed out.
using Page = std::uint32_t;

/// What a page belongs to, one byte a page: 1 + the class of small blocks, or one of these.
enum Kind : std::uint8_t { kind_inner = 0, kind_free = 0xFE, kind_large = 0xFF };

/// Of the first page of a run; a free run's last page repeats `pages`.
struct Run {
  std::uint32_t pages;
  Page next;
  Page previous;
};

class PageHeap {
 public:
  /// `runs` and `kinds`: one entry a page, zero, usable for the pages added. `origin`:
  /// the address of page 0 in pages, to which alignment refers.
  void use(Run* runs, std::uint8_t* kinds, std::uint64_t origin) {
    origin_ = origin;
    runs_ = runs;
    kinds_ = kinds;
    end_ = 1;
  }

  /// Pages up to `end` have become usable.
  void add_up_to(Page end);

  /// A run whose address is a multiple of `alignment` pages (a power of two); 0 if there is
  /// none.
  Page take(std::uint32_t pages, std::uint32_t alignment, std::uint8_t kind);

  void give(Page first);

  /// Gives up the free runs: a thread that is gone was about to change them.
  void forget_free();

  /// Changes a large run's length in place; false if what follows is not free.
  bool resize(Page first, std::uint32_t pages);

  std::uint32_t length(Page first) const { return runs_[first].pages; }
  Page end() const { return end_; }
  std::uint32_t free_pages() const { return free_; }
  std::uint32_t used_pages() const { return end_ - 1 - free_; }
  std::uint32_t peak_pages() const { return peak_; }

  /// Free pages just before `end()`: they join what is added next.
  std::uint32_t free_at_end() const {
    return end_ > 1 && kinds_[end_ - 1] == kind_free ? runs_[end_ - 1].pages : 0;
  }

 private:
  static constexpr std::size_t list_count = 256;

  static std::size_t list_of(std::uint32_t pages);
  Page find(std::uint32_t pages) const;
  void link(Page first, std::uint32_t pages);
  void unlink(Page first);
  void mark_used(Page first, std::uint32_t pages, std::uint8_t kind);

  Run* runs_ = nullptr;
  std::uint8_t* kinds_ = nullptr;
  std::array<Page, list_count> heads_{};
  std::array<std::uint64_t, list_count / 64> occupied_{};
  std::uint64_t origin_ = 0;
  Page end_ = 1;
  std::uint32_t free_ = 0;
  std::uint32_t peak_ = 0;
};

}  // namespace wirecost::heap
