// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>

namespace wirecost::middleware {

/// Memory without a page fault to come: populated at once, and locked where that is allowed.
class MemoryBlock {
 public:
  MemoryBlock(std::size_t bytes, bool lock) : bytes_(bytes) {
    if (bytes == 0) return;
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (mapped == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "memory for the messages");
    data_ = static_cast<std::byte*>(mapped);
    locked_ = lock && mlock(data_, bytes_) == 0;
  }
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  std::span<std::byte> bytes() const { return {data_, bytes_}; }
  bool locked() const { return locked_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  bool locked_ = false;
};

}  // namespace wirecost::middleware
