// SPDX-License-Identifier: Apache-2.0
// The names by which programs call the heap: malloc(3) and its family.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bit>

#include "wirecost/heap/heap.hpp"

// glibc's own allocator, for blocks of those who call it by this name.
extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier)
[[gnu::weak]] void* __libc_realloc(void*, size_t);
}

#pragma GCC visibility push(default)
extern "C" {

void* malloc(size_t size) { return wirecost::heap::allocate(size); }

void free(void* block) { wirecost::heap::release(block); }

void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* block = wirecost::heap::allocate(bytes);
  if (block != nullptr) memset(block, 0, bytes);
  return block;
}

void* realloc(void* block, size_t size) {
  if (block == nullptr) return malloc(size);
  if (!wirecost::heap::is_ours(block)) {
    return __libc_realloc != nullptr ? __libc_realloc(block, size) : nullptr;
  }
  if (size == 0) {
    free(block);
    return nullptr;
  }
  return wirecost::heap::resize(block, size);
}

void* reallocarray(void* block, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, bytes);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || !std::has_single_bit(alignment)) return EINVAL;
  const int saved = errno;
  void* block = wirecost::heap::allocate_aligned(alignment, size);
  errno = saved;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

void* memalign(size_t alignment, size_t size) {
  // As glibc does, aligned_alloc of glibc before 2.38 included.
  constexpr size_t largest_power = SIZE_MAX / 2 + 1;
  if (alignment > largest_power) {
    errno = EINVAL;
    return nullptr;
  }
  return wirecost::heap::allocate_aligned(std::bit_ceil(alignment), size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void* valloc(size_t size) { return memalign(4096, size); }

void* pvalloc(size_t size) {
  if (size > SIZE_MAX - 4095) {
    errno = ENOMEM;
    return nullptr;
  }
  return memalign(4096, (size + 4095) / 4096 * 4096);
}

size_t malloc_usable_size(void* block) {
  return block == nullptr ? 0 : wirecost::heap::usable_bytes(block);
}

// Memory stays touched: nothing is ever given back, and nothing needs tuning.
int malloc_trim(size_t) { return 0; }
int mallopt(int, int) { return 1; }

struct mallinfo2 mallinfo2(void) {
  const wirecost::heap::PoolState pool = wirecost::heap::pool_state();
  struct mallinfo2 info{};
  info.arena = pool.bytes;
  info.uordblks = pool.used_bytes;
  info.fordblks = pool.bytes - pool.used_bytes;
  info.usmblks = pool.peak_bytes;
  return info;
}

struct mallinfo mallinfo(void) {
  const struct mallinfo2 wide = mallinfo2();
  struct mallinfo info{};
  info.arena = static_cast<int>(wide.arena);
  info.uordblks = static_cast<int>(wide.uordblks);
  info.fordblks = static_cast<int>(wide.fordblks);
  info.usmblks = static_cast<int>(wide.usmblks);
  return info;
}

}  // extern "C"
#pragma GCC visibility pop
