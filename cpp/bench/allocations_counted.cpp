// SPDX-License-Identifier: Apache-2.0
// Counts allocations. Only the program that counts has it, so the one that measures is undisturbed.
#include <cstdlib>
#include <new>

#include "bench/allocations.hpp"

namespace {
std::uint64_t count = 0;
}

std::uint64_t wirecost::bench::allocations() { return count; }

void* operator new(std::size_t size) {
  ++count;
  if (void* const made = std::malloc(size == 0 ? 1 : size)) return made;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++count;
  const auto boundary = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (size / boundary + 1) * boundary;  // what aligned_alloc asks for
  if (void* const made = std::aligned_alloc(boundary, rounded)) return made;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
