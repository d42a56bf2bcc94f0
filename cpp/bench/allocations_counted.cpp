// SPDX-License-Identifier: Apache-2.0
// Counts allocations. Only the program that counts has it, so the one that measures is undisturbed.
//
// A program's own definitions come before those of any library, preloaded ones included. Each hands
// on to the one that would have been called; what it made goes to that one's free.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "bench/allocations.hpp"

namespace {

constinit std::atomic<std::uint64_t> count = 0;

/// One call. Allocators may serve one function by another, which does not count again.
class Counted {
 public:
  Counted() {
    if (depth++ == 0) count.fetch_add(1, std::memory_order_relaxed);
  }
  ~Counted() { --depth; }

 private:
  static constinit thread_local int depth;
};
constinit thread_local int Counted::depth = 0;

/// The next of that name in the loader's order.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* or_throw(void* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

void* aligned(std::size_t size, std::align_val_t alignment) {
  const auto boundary = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(boundary, (size / boundary + 1) * boundary);
}

}  // namespace

std::uint64_t wirecost::bench::allocations() { return count; }

extern "C" {

void* malloc(std::size_t size) noexcept {
  static auto* const from = next<void*(std::size_t)>("malloc");
  const Counted call;
  return from(size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
  static auto* const from = next<void*(std::size_t, std::size_t)>("calloc");
  const Counted call;
  return from(number, size);
}
void* realloc(void* p, std::size_t size) noexcept {
  static auto* const from = next<void*(void*, std::size_t)>("realloc");
  const Counted call;
  return from(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  static auto* const from = next<void*(std::size_t, std::size_t)>("aligned_alloc");
  const Counted call;
  return from(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  static auto* const from = next<void*(std::size_t, std::size_t)>("memalign");
  const Counted call;
  return from(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  static auto* const from = next<int(void**, std::size_t, std::size_t)>("posix_memalign");
  const Counted call;
  return from(p, alignment, size);
}

}  // extern "C"

// Allocators that are preloaded have their own, which would not be seen.
void* operator new(std::size_t size) { return or_throw(std::malloc(size)); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new(std::size_t size, std::align_val_t to) { return or_throw(aligned(size, to)); }
void* operator new[](std::size_t size, std::align_val_t to) { return or_throw(aligned(size, to)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
