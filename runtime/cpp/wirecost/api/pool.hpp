// SPDX-License-Identifier: Apache-2.0
// Memory for what the elements of a list hold, given back with the list. C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace wirecost::api {

class Pool {
  public:
    static constexpr std::size_t alignment = alignof(void*);

    Pool() noexcept {}
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() {
        while (chunks_ != nullptr) ::operator delete(std::exchange(chunks_, chunks_->next));
    }

    // Memory for a T, which stays until the pool goes: its destructor is for the caller to call.
    template <class T>
    void* room() {
        static_assert(alignof(T) <= alignment && sizeof(T) % alignment == 0);
        if (left() < sizeof(T)) add_chunk(sizeof(T));
        return std::exchange(at_, at_ + sizeof(T));
    }
    // Bytes that nothing lies in.
    std::size_t space() const noexcept { return left(); }

  private:
    struct Chunk {
        Chunk* next;
    };
    static constexpr std::size_t smallest = 512, largest = 65536;  // bytes of a chunk

    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
    // Half of what there is, so that little is lost.
    [[gnu::noinline]] void add_chunk(std::size_t needed) {
        const std::size_t wanted = std::clamp(total_ / 2, smallest, largest);
        const std::size_t bytes = sizeof(Chunk) + std::max(wanted, needed);
        auto* const memory = static_cast<unsigned char*>(::operator new(bytes));
        chunks_ = new (memory) Chunk{chunks_};
        at_ = memory + sizeof(Chunk);
        end_ = memory + bytes;
        total_ += bytes;
    }

    unsigned char* at_ = nullptr;
    unsigned char* end_ = nullptr;
    Chunk* chunks_ = nullptr;
    std::size_t total_ = 0;
};

}  // namespace wirecost::api
