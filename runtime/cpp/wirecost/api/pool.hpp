// SPDX-License-Identifier: Apache-2.0
// Memory that is given back as a whole: of a list for what its elements hold, or a program's arena.
// C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace wirecost::api {

class MessageLite;

class Pool {
  public:
    static constexpr std::size_t alignment = alignof(void*);

    Pool() noexcept {}
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() { free_until(nullptr); }

    // Whether nothing in it is destroyed, except what `at_end` names.
    bool is_arena() const noexcept { return is_arena_; }
    // Memory, which stays until the pool goes.
    void* room(std::size_t bytes) {
        bytes = (bytes + alignment - 1) / alignment * alignment;
        if (left() < bytes) add_chunk(bytes);
        return std::exchange(at_, at_ + bytes);
    }
    template <class T>
    void* room() {
        static_assert(alignof(T) <= alignment);
        return room(sizeof(T));
    }
    // Of an arena: calls `end` of `object` when the arena goes or is reset.
    void at_end(void* object, void (*end)(void*)) {
        endings_ = new (room<Ending>()) Ending{endings_, object, end};
    }
    // Bytes that nothing lies in.
    std::size_t space() const noexcept { return left(); }

  protected:
    struct Chunk {
        Chunk* next;
        std::size_t bytes;
    };
    struct Ending {
        Ending* next;
        void* object;
        void (*end)(void*);
    };

    explicit Pool(bool is_arena) noexcept : is_arena_(is_arena) {}
    // Whether in `memory`, of the arena's user, there is room for anything.
    void begin(void* memory, std::size_t bytes) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(memory);
        const std::size_t skipped = (alignment - address % alignment) % alignment;
        if (bytes <= skipped) return;
        at_ = static_cast<unsigned char*>(memory) + skipped;
        end_ = static_cast<unsigned char*>(memory) + bytes;
    }
    void run_endings() noexcept {
        while (endings_ != nullptr) {
            const Ending ending = *endings_;
            endings_ = ending.next;
            ending.end(ending.object);
        }
    }
    void free_until(const Chunk* last) noexcept {
        while (chunks_ != last) {
            total_ -= chunks_->bytes;
            ::operator delete(std::exchange(chunks_, chunks_->next));
        }
    }
    std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    unsigned char* at_ = nullptr;
    unsigned char* end_ = nullptr;
    Chunk* chunks_ = nullptr;
    std::size_t total_ = 0;  // bytes of the chunks

  private:
    static constexpr std::size_t smallest = 512, largest = 65536;  // bytes of a chunk

    // Half of what there is, so that little is lost.
    [[gnu::noinline]] void add_chunk(std::size_t needed) {
        const std::size_t wanted = std::clamp(total_ / 2, smallest, largest);
        const std::size_t bytes = sizeof(Chunk) + std::max(wanted, needed);
        auto* const memory = static_cast<unsigned char*>(::operator new(bytes));
        chunks_ = new (memory) Chunk{chunks_, bytes};
        at_ = memory + sizeof(Chunk);
        end_ = memory + bytes;
        total_ += bytes;
    }

    Ending* endings_ = nullptr;
    bool is_arena_ = false;
};

// Holds messages and all that is in them, with Protobuf's interface: for one thread at a time.
class Arena final : public Pool {
  public:
    Arena() noexcept : Pool(true) {}
    // Begins with memory that outlives the arena.
    Arena(char* memory, std::size_t bytes) noexcept : Pool(true), memory_(memory), bytes_(bytes) {
        begin(memory_, bytes_);
    }
    ~Arena() { run_endings(); }

    // Destroys all that is in it; the bytes that it had. Keeps the memory that it began with, else
    // its newest.
    std::uint64_t Reset() noexcept {
        const std::uint64_t had = SpaceAllocated();
        run_endings();
        at_ = end_ = nullptr;
        if (memory_ != nullptr) {
            free_until(nullptr);
            begin(memory_, bytes_);
        } else if (chunks_ != nullptr) {
            Chunk* const newest = std::exchange(chunks_, chunks_->next);
            free_until(nullptr);
            newest->next = nullptr;
            chunks_ = newest;
            begin(newest + 1, newest->bytes - sizeof(Chunk));
        }
        return had;
    }
    std::uint64_t SpaceAllocated() const noexcept { return total_ + bytes_; }
    std::uint64_t SpaceUsed() const noexcept { return SpaceAllocated() - left(); }

    // A new object in `arena`, or from `new` if that is null.
    template <class T, class... Arguments>
    static T* Create(Arena* arena, Arguments&&... arguments) {
        if (arena == nullptr) return new T(std::forward<Arguments>(arguments)...);
        if constexpr (std::is_base_of_v<MessageLite, T>) {
            T* const made = new (arena->room<T>()) T();
            made->wirecost_use(arena);
            (static_cast<void>(*made = std::forward<Arguments>(arguments)), ...);
            return made;
        } else {
            T* const made = new (arena->room<T>()) T(std::forward<Arguments>(arguments)...);
            if constexpr (!std::is_trivially_destructible_v<T>)
                arena->at_end(made, [](void* object) { static_cast<T*>(object)->~T(); });
            return made;
        }
    }
    template <class T>
    static T* CreateMessage(Arena* arena) {
        return Create<T>(arena);
    }
    // Takes what `object` points to, from `new`.
    template <class T>
    void Own(T* object) {
        if (object != nullptr) at_end(object, [](void* owned) { delete static_cast<T*>(owned); });
    }

  private:
    char* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace wirecost::api
