// SPDX-License-Identifier: Apache-2.0
// Memory of columns and unpacked chunks, which serves again: fresh pages cost more than a copy.
#pragma once

#include <cstddef>

namespace wirecost::arrow {

/// `at` has at least `size` bytes.
struct Memory {
  std::byte* at = nullptr;
  std::size_t size = 0;
};

/// Takes memory of this size from what was given back, else from the system. Throws std::bad_alloc.
Memory take_memory(std::size_t size);

/// Gives memory back; no more is kept than a few batches and chunks have.
void give_memory(Memory memory) noexcept;

}  // namespace wirecost::arrow
