// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/heap.hpp"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "wirecost/heap/size_classes.hpp"
#include "wirecost/heap/state.hpp"

// glibc's own allocator, for blocks of those who call it by this name.
extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier)
[[gnu::weak]] void __libc_free(void*);
}

namespace wirecost::heap {

namespace {

/// Of at most `most_bytes`.
std::uint32_t pages_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + page_bytes - 1) / page_bytes);
}

void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}

void* take_small(ThreadCache& cache, std::size_t size_class) {
  void* block = cache.take(size_class);
  if (block != nullptr) return block;
  if (!cache.refill(size_class, state.central, state.pool)) return out_of_memory();
  return cache.take(size_class);
}

/// The caller's cache, or the shared one with its lock held.
class Borrowed {
 public:
  Borrowed() : cache_(own_cache != nullptr ? own_cache : state.threads.enter()) {
    if (cache_ != nullptr) return;
    state.shared_lock.lock();
    cache_ = &state.shared;
  }
  ~Borrowed() {
    if (cache_ == &state.shared) state.shared_lock.unlock();
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ThreadCache& operator*() const { return *cache_; }
  ThreadCache* operator->() const { return cache_; }

 private:
  ThreadCache* cache_;
};

[[gnu::noinline]] void* allocate_small_slowly(std::size_t size_class) {
  start_up();
  if (!state.pool.is_open()) return out_of_memory();
  keep_filled();
  const Borrowed cache;
  return take_small(*cache, size_class);
}

[[gnu::noinline]] void* allocate_large(std::size_t bytes, std::size_t alignment) {
  start_up();
  if (!state.pool.is_open() || bytes > most_bytes || alignment > most_bytes) {
    return out_of_memory();
  }
  keep_filled();
  const std::uint32_t pages = pages_of(bytes == 0 ? 1 : bytes);
  void* block = state.pool.take(pages, pages_of(alignment), kind_large);
  if (block == nullptr) return out_of_memory();
  Borrowed()->took_large(std::size_t{pages} * page_bytes);
  return block;
}

/// The kind of the block's first page, checked as far as costs nothing.
std::uint8_t kind_of_block(const void* block) {
  const std::uint8_t kind = state.pool.kind_of(block);
  const std::size_t within = kind == kind_large ? page_bytes - 1 : 15;
  if (kind == kind_inner || kind == kind_free ||
      (reinterpret_cast<std::uintptr_t>(block) & within) != 0) [[unlikely]] {
    fail("not a block in use", block);
  }
  return kind;
}

/// Everything but a small block of ours for which the caller's cache has room.
[[gnu::noinline]] void release_slowly(void* block) {
  if (block == nullptr) return;
  if (!is_ours(block)) {
    if (__libc_free != nullptr) __libc_free(block);
    return;
  }
  const int saved = errno;
  notice_new_process();
  const std::uint8_t kind = kind_of_block(block);
  const Borrowed cache;
  if (kind != kind_large) {
    cache->give_slowly(block, kind - std::size_t{1}, state.central, state.pool);
  } else {
    cache->gave_large(state.pool.large_bytes(block));
    state.pool.give(static_cast<char*>(block));
  }
  errno = saved;
}

}  // namespace

void fail(const char* problem, const void* pointer) {
  Writer(2)
      .put("wirecost heap: ")
      .hex(reinterpret_cast<std::uint64_t>(pointer))
      .put(" ")
      .put(problem)
      .put("; run the program under AddressSanitizer to find where\n");
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
  __builtin_trap();
}

bool is_ours(const void* block) { return state.pool.contains(block); }

PoolState pool_state() { return state.pool.state(); }

void* allocate(std::size_t bytes) {
  if (bytes > small_max) return allocate_large(bytes, 1);
  const std::size_t size_class = class_of(bytes);
  if (own_cache != nullptr) [[likely]] {
    void* block = own_cache->take(size_class);
    if (block != nullptr) [[likely]] {
      return block;
    }
  }
  return allocate_small_slowly(size_class);
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= 16) return allocate(bytes);
  // Spans begin on a page, so blocks whose size is a multiple of the alignment are aligned.
  if (alignment <= page_bytes && bytes <= small_max) {
    std::size_t size_class = class_of(bytes < alignment ? alignment : bytes);
    while (size_class < class_count && class_bytes[size_class] % alignment != 0) ++size_class;
    if (size_class < class_count) return allocate(class_bytes[size_class]);
  }
  return allocate_large(bytes, alignment);
}

void release(void* block) {
  if (is_ours(block)) [[likely]] {
    // Of kinds that are no class the number wraps around or is too large.
    const std::size_t size_class = state.pool.kind_of(block) - std::size_t{1};
    const bool aligned = reinterpret_cast<std::uintptr_t>(block) % 16 == 0;
    if (size_class < class_count && aligned && own_cache != nullptr) [[likely]] {
      if (own_cache->give(block, size_class)) [[likely]] {
        return;
      }
    }
  }
  release_slowly(block);
}

std::size_t usable_bytes(const void* block) {
  if (!is_ours(block)) return 0;
  const std::uint8_t kind = kind_of_block(block);
  return kind == kind_large ? state.pool.large_bytes(block) : class_bytes[kind - 1U];
}

void* resize(void* block, std::size_t bytes) {
  const std::size_t have = usable_bytes(block);
  if (bytes > most_bytes) return out_of_memory();
  const bool large = have > small_max && state.pool.kind_of(block) == kind_large;
  notice_new_process();
  if (large && bytes > small_max) {
    const std::uint32_t pages = pages_of(bytes);
    if (state.pool.resize(static_cast<char*>(block), pages)) {
      const Borrowed cache;
      cache->gave_large(have);
      cache->took_large(std::size_t{pages} * page_bytes);
      return block;
    }
  } else if (bytes <= have && (bytes > have / 2 || have <= 64)) {
    return block;
  }
  void* moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, block, bytes < have ? bytes : have);
  release(block);
  return moved;
}

}  // namespace wirecost::heap
