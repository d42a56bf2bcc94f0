// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/page_heap.hpp"

#include <string.h>

#include <bit>

namespace wirecost::heap {

std::size_t PageHeap::list_of(std::uint32_t pages) {
  if (pages < 8) return pages;
  const auto power = static_cast<std::size_t>(std::bit_width(pages)) - 1;
  return (power - 2) * 8 + ((pages >> (power - 3)) & 7);
}

void PageHeap::link(Page first, std::uint32_t pages) {
  const std::size_t list = list_of(pages);
  const Page head = heads_[list];
  runs_[first] = {pages, head, 0};
  runs_[first + pages - 1].pages = pages;
  kinds_[first] = kind_free;
  kinds_[first + pages - 1] = kind_free;
  if (head != 0) runs_[head].previous = first;
  heads_[list] = first;
  occupied_[list / 64] |= std::uint64_t{1} << (list % 64);
  free_ += pages;
}

void PageHeap::unlink(Page first) {
  const Run run = runs_[first];
  const std::size_t list = list_of(run.pages);
  if (run.next != 0) runs_[run.next].previous = run.previous;
  if (run.previous != 0) {
    runs_[run.previous].next = run.next;
  } else {
    heads_[list] = run.next;
    if (run.next == 0) occupied_[list / 64] &= ~(std::uint64_t{1} << (list % 64));
  }
  kinds_[first] = kind_inner;
  kinds_[first + run.pages - 1] = kind_inner;
  free_ -= run.pages;
}

Page PageHeap::find(std::uint32_t pages) const {
  // Runs of the request's own list may be too short. Looking at a few of them finds the run that
  // the same request left a moment ago, and so keeps a steady state from growing.
  constexpr int looked_at = 16;
  const std::size_t own = list_of(pages);
  Page run = heads_[own];
  for (int i = 0; i < looked_at && run != 0; ++i, run = runs_[run].next) {
    if (runs_[run].pages >= pages) return run;
  }
  std::size_t list = own + 1;
  std::uint64_t bits = occupied_[list / 64] & (~std::uint64_t{0} << (list % 64));
  for (std::size_t word = list / 64; bits == 0;) {
    if (++word == occupied_.size()) return 0;
    bits = occupied_[word];
    list = word * 64;
  }
  return heads_[list / 64 * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
}

void PageHeap::mark_used(Page first, std::uint32_t pages, std::uint8_t kind) {
  runs_[first].pages = pages;
  if (kind == kind_large) {
    kinds_[first] = kind;
  } else {
    memset(kinds_ + first, kind, pages);
  }
}

Page PageHeap::take(std::uint32_t pages, std::uint32_t alignment, std::uint8_t kind) {
  const Page run = find(pages + alignment - 1);
  if (run == 0) return 0;
  const std::uint32_t length = runs_[run].pages;
  unlink(run);
  const std::uint64_t mask = alignment - std::uint64_t{1};
  const auto first = static_cast<Page>(((origin_ + run + mask) & ~mask) - origin_);
  const std::uint32_t before = first - run;
  const std::uint32_t after = length - before - pages;
  if (before != 0) link(run, before);
  if (after != 0) link(first + pages, after);
  mark_used(first, pages, kind);
  if (used_pages() > peak_) peak_ = used_pages();
  return first;
}

void PageHeap::give(Page first) {
  std::uint32_t pages = runs_[first].pages;
  kinds_[first] = kind_inner;
  if (kinds_[first - 1] == kind_free) {
    const std::uint32_t before = runs_[first - 1].pages;
    unlink(first - before);
    first -= before;
    pages += before;
  }
  const Page next = first + pages;
  if (next < end_ && kinds_[next] == kind_free) {
    pages += runs_[next].pages;
    unlink(next);
  }
  link(first, pages);
}

void PageHeap::forget_free() {
  for (Page page = 1; page < end_; ++page) {
    if (kinds_[page] == kind_free) kinds_[page] = kind_inner;
  }
  heads_ = {};
  occupied_ = {};
  free_ = 0;
}

bool PageHeap::resize(Page first, std::uint32_t pages) {
  const std::uint32_t have = runs_[first].pages;
  const Page next = first + have;
  std::uint32_t reach = have;
  if (next < end_ && kinds_[next] == kind_free) reach += runs_[next].pages;
  if (pages > reach) return false;
  if (reach != have) unlink(next);
  runs_[first].pages = pages;
  if (pages < reach) link(first + pages, reach - pages);
  if (used_pages() > peak_) peak_ = used_pages();
  return true;
}

void PageHeap::add_up_to(Page end) {
  const Page first = end_;
  runs_[first].pages = end - first;
  end_ = end;
  // A run in use until it is given: giving merges it with free pages before it.
  give(first);
}

}  // namespace wirecost::heap
