// SPDX-License-Identifier: Apache-2.0
// Counts what operator new is asked for, aligned or not.
#include "columns/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;

void* taken(void* made) {
  ++count;
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
}  // namespace

std::size_t wirecost::test::allocations() { return count; }

void* operator new(std::size_t size) { return taken(std::malloc(size == 0 ? 1 : size)); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return taken(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
