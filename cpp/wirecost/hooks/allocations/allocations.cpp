// SPDX-License-Identifier: Apache-2.0
// Counts the calling thread's allocations, their bytes and its frees, reports each to an observer,
// and hands it to the allocator behind.
#include <dlfcn.h>
#include <errno.h>

#include <cstddef>
#include <cstdint>

#include "wirecost/probe/reports.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using wirecost::probe::Event;

thread_local std::uint64_t counts[3]{};
thread_local wirecost::probe::Reports reports{};
thread_local bool looking_up = false;

// What the loader allocates while it looks for the next allocator; never given back.
alignas(16) unsigned char early[16384];
std::size_t early_used = 0;

bool is_early(const void* memory) {
  const auto* at = static_cast<const unsigned char*>(memory);
  return at >= early && at < early + sizeof(early);
}

void* from_early(std::size_t size) {
  const std::size_t whole = (size + 15) & ~std::size_t{15};
  if (size > sizeof(early) || early_used + whole > sizeof(early)) return nullptr;
  void* memory = early + early_used;
  early_used += whole;
  return memory;
}

/// The function of that name behind this library; null while it is being looked for.
template <class Function>
Function* next(Function*& known, const char* name) {
  Function* function = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (function != nullptr || looking_up) return function;
  looking_up = true;
  function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  looking_up = false;
  __atomic_store_n(&known, function, __ATOMIC_RELAXED);
  return function;
}

void report(Event event) {
  if (auto* const observer = reports.observer) observer->see(*observer, event, nullptr, {});
}

void count(std::size_t size) {
  if (reports.paused) return;
  ++counts[0];
  counts[1] += size;
  report(Event::allocation);
}

/// Requests that fail are none: sums of their sizes would be meaningless.
void* counted(std::size_t size, void* memory) {
  if (memory != nullptr) count(size);
  return memory;
}

void* (*next_malloc)(std::size_t);
void* (*next_calloc)(std::size_t, std::size_t);
void* (*next_realloc)(void*, std::size_t);
void (*next_free)(void*);
int (*next_posix_memalign)(void**, std::size_t, std::size_t);
void* (*next_aligned_alloc)(std::size_t, std::size_t);
void* (*next_memalign)(std::size_t, std::size_t);

}  // namespace

/// The calling thread's allocations, their bytes, and its frees.
EXPORTED const std::uint64_t* wirecost_allocation_counts() { return counts; }

EXPORTED wirecost::probe::Reports* wirecost_allocation_reports() { return &reports; }

EXPORTED void* malloc(std::size_t size) {
  auto* const function = next(next_malloc, "malloc");
  return function == nullptr ? from_early(size) : counted(size, function(size));
}

EXPORTED void* calloc(std::size_t count, std::size_t size) {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, size, &whole)) {
    errno = ENOMEM;
    return nullptr;
  }
  auto* const function = next(next_calloc, "calloc");
  return function == nullptr ? from_early(whole) : counted(whole, function(count, size));
}

EXPORTED void* realloc(void* memory, std::size_t size) {
  if (is_early(memory)) {
    void* const moved = malloc(size);
    const std::size_t most =
        static_cast<std::size_t>(early + sizeof(early) - static_cast<unsigned char*>(memory));
    if (moved != nullptr) __builtin_memcpy(moved, memory, size < most ? size : most);
    return moved;
  }
  auto* const function = next(next_realloc, "realloc");
  return function == nullptr ? nullptr : counted(size, function(memory, size));
}

EXPORTED void free(void* memory) {
  if (memory == nullptr || is_early(memory)) return;
  if (!reports.paused) {
    ++counts[2];
    report(Event::free);
  }
  if (auto* const function = next(next_free, "free")) function(memory);
}

EXPORTED int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  auto* const function = next(next_posix_memalign, "posix_memalign");
  const int error = function == nullptr ? ENOMEM : function(memory, alignment, size);
  if (error == 0) count(size);
  return error;
}

EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t size) {
  auto* const function = next(next_aligned_alloc, "aligned_alloc");
  return function == nullptr ? nullptr : counted(size, function(alignment, size));
}

EXPORTED void* memalign(std::size_t alignment, std::size_t size) {
  auto* const function = next(next_memalign, "memalign");
  return function == nullptr ? nullptr : counted(size, function(alignment, size));
}
