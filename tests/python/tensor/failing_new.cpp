// SPDX-License-Identifier: Apache-2.0
// Memory for C++ that can be made to run out, linked into the quick path by
// test_native_sanitized.py.
#include <cstdlib>
#include <new>

namespace {

long left = -1;

void* allocated(std::size_t size) noexcept {
  if (left == 0) return nullptr;
  if (left > 0) --left;
  return std::malloc(size);
}

}  // namespace

// After so many allocations there are no more; -1: there is no limit.
extern "C" void fail_after(long allocations) { left = allocations; }

void* operator new(std::size_t size) {
  if (void* const found = allocated(size)) return found;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
