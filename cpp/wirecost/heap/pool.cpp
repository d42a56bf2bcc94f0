// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/pool.hpp"

#include <errno.h>

namespace wirecost::heap {

namespace {

constexpr std::size_t smallest_step = std::size_t{4} << 20;
constexpr std::uint32_t huge_pages_in_pages = huge_bytes / page_bytes;
/// What a growth leaves to the rest of the machine: failing with ENOMEM is better than being
/// killed.
constexpr std::size_t left_to_others = std::size_t{64} << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

bool Pool::open() {
  for (most_bytes_ = address_space_bytes(); most_bytes_ >= 2 * smallest_step; most_bytes_ /= 2) {
    most_bytes_ = rounded_up(most_bytes_, huge_bytes);
    const std::size_t pages = most_bytes_ / page_bytes;
    const std::size_t runs_bytes = rounded_up(pages * sizeof(Run), page_bytes);
    const Place place = find_place(most_bytes_ + rounded_up(runs_bytes + pages, huge_bytes));
    if (place.begin == nullptr) continue;
    base_ = place.begin;
    reserved_ = place.reserved;
    runs_ = reinterpret_cast<Run*>(base_ + most_bytes_);
    kinds_ = reinterpret_cast<std::uint8_t*>(base_ + most_bytes_ + runs_bytes);
    pages_.use(runs_, kinds_, reinterpret_cast<std::uintptr_t>(base_) / page_bytes);
    return grow_to(huge_pages_in_pages);
  }
  most_bytes_ = 0;
  return false;
}

std::array<Pool::Range, 3> Pool::ranges(Page from, Page end) const {
  const Touch table{touch_.lock, false};
  // A page of a table that two growths share was mapped by the first.
  const auto part = [&](auto* entries) {
    const std::size_t begin = rounded_up(from * sizeof(*entries), page_bytes);
    const std::size_t bytes = rounded_up(end * sizeof(*entries), page_bytes) - begin;
    return Range{reinterpret_cast<char*>(entries) + begin, bytes, table};
  };
  return {
      part(runs_), part(kinds_),
      Range{base_ + std::size_t{from} * page_bytes, std::size_t{end - from} * page_bytes, touch_}};
}

bool Pool::map(const Range& range) {
  if (range.bytes == 0) return true;
  const Touched done =
      make_usable(static_cast<char*>(range.begin), range.bytes, range.how, reserved_);
  if (done == Touched::not_locked) refused_lock_.store(true, std::memory_order_relaxed);
  return done != Touched::no;
}

bool Pool::grow_to(Page end) {
  const Page from = pages_.end() == 1 ? 0 : pages_.end();
  const std::array<Range, 3> all = ranges(from, end);
  mapping_to_ = end;
  std::size_t done = 0;
  while (done < all.size() && map(all[done])) ++done;
  if (done < all.size()) {
    while (done > 0) {
      const Range& range = all[--done];
      if (range.bytes != 0) make_unusable(static_cast<char*>(range.begin), range.bytes, reserved_);
    }
    return false;
  }
  const Guard guard(lock_);
  pages_.add_up_to(end);
  return true;
}

bool Pool::grow(std::size_t needed, std::size_t wished) {
  const std::size_t have = std::size_t{pages_.end()} * page_bytes;
  const std::size_t available = available_bytes();
  const bool is_scarce = wished > mappable_bytes() / 2;
  for (const std::size_t bytes : {needed > wished || is_scarce ? needed : wished, needed}) {
    const std::size_t target = rounded_up(have + bytes, huge_bytes);
    if (target > most_bytes_ || target - have + left_to_others > available) continue;
    if (grow_to(static_cast<Page>(target / page_bytes))) return true;
  }
  return false;
}

void Pool::settle(std::size_t bytes, Touch how) {
  const Guard guard(growing_);
  touch_ = how;
  const std::size_t have = std::size_t{pages_.end()} * page_bytes;
  if (how.lock && !lock_in_memory(base_, have)) refused_lock_.store(true);
  if (bytes > have) {
    // Of what its limits leave to the program it keeps half.
    const std::size_t most = mappable_bytes() / 2;
    if (most > 0) grow(bytes - have < most ? bytes - have : most, 0);
  }
  const std::size_t low = bytes / 4 > smallest_step ? bytes / 4 : smallest_step;
  low_pages_.store(static_cast<std::uint32_t>(low / page_bytes), std::memory_order_relaxed);
}

char* Pool::take(std::uint32_t pages, std::uint32_t alignment, std::uint8_t kind) {
  if (std::size_t{pages} + alignment > most_bytes_ / page_bytes) return nullptr;
  for (;;) {
    Page end;
    {
      const Guard guard(lock_);
      const Page first = pages_.take(pages, alignment, kind);
      if (first != 0) {
        wake_if_low();
        return base_ + std::size_t{first} * page_bytes;
      }
      end = pages_.end();
    }
    const int saved = errno;
    const Guard growing(growing_);
    if (pages_.end() != end) continue;
    std::size_t needed;
    {
      const Guard guard(lock_);
      const std::uint32_t tail = pages_.free_at_end();
      const std::uint32_t wanted = pages + alignment - 1;
      needed = std::size_t{wanted > tail ? wanted - tail : 1} * page_bytes;
    }
    waited_.fetch_add(1, std::memory_order_relaxed);
    if (!grow(needed, std::size_t{low_pages_.load(std::memory_order_relaxed)} * page_bytes)) {
      return nullptr;
    }
    errno = saved;
  }
}

void Pool::give(char* first) {
  const Guard guard(lock_);
  pages_.give(page_of(first));
}

bool Pool::resize(char* first, std::uint32_t pages) {
  const Guard guard(lock_);
  if (!pages_.resize(page_of(first), pages)) return false;
  wake_if_low();
  return true;
}

void Pool::wake_if_low() {
  if (pages_.free_pages() >= low_pages_.load(std::memory_order_relaxed)) return;
  if (work_.exchange(1) == 0) futex_wake(work_);
}

void Pool::refill() {
  for (;;) {
    const Guard growing(growing_);
    std::size_t step = std::size_t{low_pages_.load(std::memory_order_relaxed)} * page_bytes;
    {
      const Guard guard(lock_);
      if (pages_.free_pages() >= step / page_bytes) return;
      const std::size_t eighth = std::size_t{pages_.end()} * page_bytes / 8;
      if (step < eighth) step = eighth;
    }
    if (step > mappable_bytes() / 2) return;
    if (!grow(huge_bytes, step)) return;
    grown_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Pool::wait_for_work(std::int64_t nanoseconds) {
  if (work_.load() == 0) futex_wait(work_, 0, nanoseconds);
  work_.store(0);
}

void Pool::ask_to_touch_again() {
  touch_again_.store(true);
  if (work_.exchange(1) == 0) futex_wake(work_);
}

void Pool::touch_again() {
  std::size_t pages;
  {
    const Guard guard(lock_);
    pages = pages_.end();
  }
  // While the child lives, each page touched becomes a copy.
  if (pages * page_bytes + left_to_others > available_bytes()) return;
  populate(reinterpret_cast<char*>(runs_), rounded_up(pages * sizeof(Run), page_bytes));
  populate(reinterpret_cast<char*>(kinds_), rounded_up(pages, page_bytes));
  // In pieces, since forks and mappings of other threads wait for a call that is under way.
  for (std::size_t done = 0; done < pages * page_bytes; done += huge_bytes) {
    populate(base_ + done, huge_bytes);
  }
}

PoolState Pool::state() const {
  return {std::size_t{pages_.end()} * page_bytes,
          std::size_t{pages_.used_pages()} * page_bytes,
          std::size_t{pages_.peak_pages()} * page_bytes,
          grown_.load(),
          waited_.load(),
          refused_lock_.load()};
}

void Pool::lock_all() {
  growing_.lock();
  lock_.lock();
}

void Pool::unlock_all() {
  lock_.unlock();
  growing_.unlock();
}

void Pool::reset_locks() {
  lock_.reset();
  growing_.reset();
  work_.store(0);
}

void Pool::take_over() {
  if (growing_.is_held()) {
    const Page from = pages_.end() == 1 ? 0 : pages_.end();
    if (mapping_to_ > from) {
      for (const Range& range : ranges(from, mapping_to_)) {
        if (range.bytes != 0) {
          make_unusable(static_cast<char*>(range.begin), range.bytes, reserved_);
        }
      }
    }
  }
  if (lock_.is_held()) pages_.forget_free();
  reset_locks();
}

}  // namespace wirecost::heap
