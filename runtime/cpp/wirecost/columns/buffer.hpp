// SPDX-License-Identifier: Apache-2.0
// A growing buffer for messages with columns.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "wirecost/columns/schema.hpp"

namespace wirecost::columns {

// Bytes that begin on a multiple of 64, so that payloads placed on such offsets are aligned. Grows
// without filling anything with zeros, and keeps its memory when cleared. Megabytes ask the kernel
// for huge pages: walking them costs less, and they are faulted in 512 at a time.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(); }

    Byte* data() noexcept { return data_; }
    const Byte* data() const noexcept { return data_; }
    Byte* end() noexcept { return data_ + size_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }
    std::span<const std::byte> bytes() const noexcept {
        return {reinterpret_cast<const std::byte*>(data_), size_};
    }

    void clear() noexcept { size_ = 0; }
    void reserve(std::size_t capacity) {
        if (capacity > capacity_) grow(capacity);
    }
    // What is beyond the old size holds anything.
    void resize(std::size_t size) {
        reserve(size);
        size_ = size;
    }
    // Room for that many bytes more behind the end; `advance` then takes what was written there.
    Byte* room(std::size_t size) {
        reserve(size_ + size);
        return data_ + size_;
    }
    void advance(const Byte* end) noexcept { size_ = static_cast<std::size_t>(end - data_); }

    void append(const void* from, std::size_t size) {
        if (size == 0) return;
        std::memcpy(room(size), from, size);
        size_ += size;
    }
    void append(std::span<const std::byte> from) { append(from.data(), from.size()); }
    void append_zeros(std::size_t size) {
        if (size == 0) return;
        std::memset(room(size), 0, size);
        size_ += size;
    }
    template <class T>
    void push(T value) {
        if (capacity_ - size_ < sizeof(T)) [[unlikely]]
            grow(size_ + sizeof(T));
        std::memcpy(data_ + size_, &value, sizeof(T));
        size_ += sizeof(T);
    }

  private:
    static constexpr std::size_t smallest = 256;
    static constexpr std::size_t huge_page = std::size_t{2} << 20U;

    [[gnu::noinline]] void grow(std::size_t least) {
        const std::size_t wanted = std::max({least, capacity_ + capacity_ / 2, smallest});
        const std::size_t capacity = aligned(wanted, unit_of(wanted));
        auto* const made =
            static_cast<Byte*>(::operator new(capacity, std::align_val_t{unit_of(capacity)}));
#ifdef __linux__
        if (unit_of(capacity) == huge_page) ::madvise(made, capacity, MADV_HUGEPAGE);
#endif
        if (size_ != 0) std::memcpy(made, data_, size_);
        release();
        data_ = made;
        capacity_ = capacity;
    }
    void release() noexcept {
        if (data_ != nullptr) ::operator delete(data_, std::align_val_t{unit_of(capacity_)});
    }
    static constexpr std::size_t unit_of(std::size_t capacity) noexcept {
        return capacity >= 2 * huge_page ? huge_page : alignment;
    }

    Byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace wirecost::columns
