// SPDX-License-Identifier: Apache-2.0
// How generated holders move short strings, and the two places from which they get their memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#ifdef WIRECOST_NO_RECYCLING
#error "WIRECOST_NO_RECYCLING has no meaning: run `wirecost compile` with --no-recycling"
#endif

namespace wirecost {

using Byte = std::uint8_t;

// Copies bytes, also to a place before them that overlaps. Most strings are short: they are moved
// in two overlapping pieces without a call.
[[gnu::always_inline]] inline void copy_bytes(void* to, const void* from,
                                              std::size_t size) noexcept {
    auto* const t = static_cast<Byte*>(to);
    const auto* const f = static_cast<const Byte*>(from);
    if (size > 32) {
        std::memmove(t, f, size);
    } else if (size >= 16) {
        std::array<Byte, 16> first;
        std::array<Byte, 16> last;
        std::memcpy(first.data(), f, 16);
        std::memcpy(last.data(), f + size - 16, 16);
        std::memcpy(t, first.data(), 16);
        std::memcpy(t + size - 16, last.data(), 16);
    } else if (size >= 8) {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::memcpy(&first, f, 8);
        std::memcpy(&last, f + size - 8, 8);
        std::memcpy(t, &first, 8);
        std::memcpy(t + size - 8, &last, 8);
    } else if (size >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, f, 4);
        std::memcpy(&last, f + size - 4, 4);
        std::memcpy(t, &first, 4);
        std::memcpy(t + size - 4, &last, 4);
    } else if (size != 0) {
        t[0] = f[0];
        t[size / 2] = f[size / 2];
        t[size - 1] = f[size - 1];
    }
}

// Memory from the program's allocator, as std::string and std::vector have it. What holders ask of
// such a class is here.
class Plain {
  public:
    static void* take(std::size_t& size) {  // `size` becomes what the block holds
        return std::allocator<Byte>().allocate(size);
    }
    static void give(void* p, std::size_t size) noexcept {  // `size`: what the block holds
        std::allocator<Byte>().deallocate(static_cast<Byte*>(p), size);
    }
    template <class T>
    using Allocator = std::allocator<T>;
};

// Small blocks that strings and sequences gave back, kept by each thread for the next message: a
// new message costs a handful of them, and taking one from here is a few instructions.
class Recycled {
  public:
    static void* take(std::size_t& size) {
        if (size > largest) return ::operator new(size);
        const std::size_t index = size_class(size);
        size = smallest << index;
        Lists& lists = own();
        if (Block* const block = lists.first[index]) {
            lists.first[index] = block->next;
            ++lists.room[index];
            return block;
        }
        return fresh(lists, size);
    }
    static void give(void* p, std::size_t size) noexcept {
        if (size <= largest) {
            const std::size_t index = size_class(size);
            Lists& lists = own();
            if (lists.room[index] > 0) {
                --lists.room[index];
                lists.first[index] = new (p) Block{lists.first[index]};
                return;
            }
        }
        ::operator delete(p);
    }
    template <class T>
    struct Allocator {
        using value_type = T;
        Allocator() = default;
        template <class U>
        Allocator(const Allocator<U>&) noexcept {}
        T* allocate(std::size_t n) {
            if (n > std::numeric_limits<std::size_t>::max() / sizeof(T))
                throw std::bad_array_new_length();
            std::size_t size = n * sizeof(T);
            return static_cast<T*>(take(size));
        }
        void deallocate(T* p, std::size_t n) noexcept { give(p, n * sizeof(T)); }
        // A message's members initialize themselves: `U()` would first set all of it to zero.
        template <class U, class... Values>
        void construct(U* p, Values&&... values) {
            if constexpr (sizeof...(Values) == 0 && !std::is_trivially_default_constructible_v<U>)
                ::new (static_cast<void*>(p)) U;
            else
                ::new (static_cast<void*>(p)) U(std::forward<Values>(values)...);
        }
        bool operator==(const Allocator&) const = default;
    };

  private:
    static constexpr std::size_t smallest = 32;
    static constexpr std::size_t classes = 7;
    static constexpr std::size_t largest = smallest << (classes - 1);
    // Without recycling the sanitizer sees every use after free.
#if defined(__SANITIZE_ADDRESS__)
    static constexpr bool sanitized = true;
#elif defined(__has_feature)  // Clang's; where it is another's it may know nothing
    static constexpr bool sanitized = __has_feature(address_sanitizer);
#else
    static constexpr bool sanitized = false;
#endif
    static constexpr int blocks_kept = sanitized ? 0 : 256;  // of each class: a megabyte in all

    struct Block {
        Block* next;
    };
    struct Lists {
        std::array<Block*, classes> first;
        std::array<int, classes> room;  // how many more blocks may be kept
        bool opened;
    };
    // Frees the lists when the thread ends; what is given back after that is freed at once.
    struct Closer {
        ~Closer() {
            Lists& lists = own();
            lists.room = {};
            for (Block*& first : lists.first) {
                while (first != nullptr) ::operator delete(std::exchange(first, first->next));
            }
        }
    };

    static std::size_t size_class(std::size_t size) noexcept {
        return size <= smallest ? 0 : std::bit_width((size - 1) / smallest);
    }
    static Lists& own() noexcept {
        // Without constructor and destructor, so that reaching it needs no guard.
        static constinit thread_local Lists lists{};
        return lists;
    }
    static void* fresh(Lists& lists, std::size_t size) {
        if (!lists.opened) {
            static thread_local Closer closer;
            static_cast<void>(closer);
            lists.opened = true;
            lists.room.fill(blocks_kept);
        }
        return ::operator new(size);
    }
};

}  // namespace wirecost
