// SPDX-License-Identifier: Apache-2.0
#include "compile/allocations.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace {
std::size_t count = 0;
std::size_t largest = 0;
}  // namespace

std::size_t wirecost::test::allocations() { return count; }

std::size_t wirecost::test::largest_allocation() { return std::exchange(largest, 0); }

void* operator new(std::size_t size) {
  ++count;
  largest = std::max(largest, size);
  if (void* const made = std::malloc(size == 0 ? 1 : size)) return made;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
