// SPDX-License-Identifier: Apache-2.0
// Where the elements of a repeated field of messages or strings lie. C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "wirecost/api/pool.hpp"

namespace wirecost::api {

// Elements keep their addresses as others come and go: they lie in blocks that grow with their
// number, and a table has a pointer to each. Behind the ones in use are those that were used
// before. Most lists are short: the first block has room for the table of a few.
template <class T>
class Elements {
  public:
    Elements() noexcept {}
    Elements(const Elements&) = delete;
    Elements& operator=(const Elements&) = delete;
    ~Elements() {
        if (table_ != nullptr) destroy();
    }

    // Takes memory from `pool` if that is an arena and this has none yet.
    void use(Pool* pool) {
        if (table_ == nullptr && pool != nullptr && pool->is_arena()) begin(pool);
    }
    Pool* arena() const noexcept {
        return table_ != nullptr && is_in_arena() ? head().pool : nullptr;
    }

    int size() const noexcept { return size_; }
    int made() const noexcept { return made_; }
    int capacity() const noexcept { return table_ == nullptr ? 0 : head().capacity; }
    T** table() const noexcept { return table_; }
    T& operator[](std::size_t i) const noexcept { return *table_[i]; }
    void shorten(int size) noexcept { size_ = size; }

    // One more, which has any content if `was_used`.
    T& add(bool& was_used) {
        was_used = size_ < made_;
        return was_used ? *table_[size_++] : make();
    }
    void reserve(int capacity) {
        if (capacity > this->capacity()) grow(static_cast<std::size_t>(capacity));
    }
    // One more, from `new`, or in the same arena; of another one a copy.
    void adopt(T* element) {
        bool lies_in_arena = false;
        if constexpr (has_pool) {
            lies_in_arena = element->GetArena() != nullptr;
            if (lies_in_arena && element->GetArena() != arena()) {
                bool was_used = false;
                add(was_used) = *element;
                return;
            }
        }
        const bool is_owned = arena() != nullptr;
        if (is_owned && !lies_in_arena)
            head().pool->at_end(element, [](void* owned) { delete static_cast<T*>(owned); });
        if (made_ == capacity()) grow(static_cast<std::size_t>(made_) + 1);
        if (size_ < made_) table_[made_] = table_[size_];
        table_[size_++] = element;
        ++made_;
        if (!is_owned) ++head().adopted;
    }
    // The last one, for `delete`.
    T* release() {
        T*& last = table_[size_ - 1];
        if (head().adopted == 0 || lies_in_block(last)) {  // as whatever an arena has
            T* const moved = new T(std::move(*last));
            --size_;
            return moved;
        }
        T* const released = last;
        --head().adopted;
        --size_;
        --made_;
        last = table_[made_];
        return released;
    }
    void swap(Elements& other) noexcept {
        std::swap(table_, other.table_);
        std::swap(size_, other.size_);
        std::swap(made_, other.made_);
    }
    // Bytes of the table, and of the blocks whose elements were not made.
    std::size_t space() const noexcept {
        if (table_ == nullptr) return 0;
        std::size_t bytes = sizeof(Head) + static_cast<std::size_t>(capacity()) * sizeof(T*);
        if (head().pool != nullptr && !is_in_arena()) bytes += sizeof(Pool) + head().pool->space();
        for (const Block* block = head().blocks; block != nullptr; block = block->next)
            bytes += first_in_block +
                     static_cast<std::size_t>(block->capacity - block->used) * sizeof(T);
        return bytes;
    }

  private:
    static constexpr int first_table = 4;  // pointers, behind the elements of the first block
    static constexpr bool has_pool = !std::is_same_v<T, std::string>;
    static constexpr int least_pooled = 4;

    struct Block {
        Block* next;
        int used;
        int capacity;
    };
    struct Head {  // before the table
        Block* blocks;
        Pool* pool;  // an arena, or its own: of longer lists of messages
        int capacity;
        int adopted;
    };
    static_assert(sizeof(Head) % alignof(T*) == 0);
    static constexpr std::size_t first_in_block =
        (sizeof(Block) + alignof(T) - 1) / alignof(T) * alignof(T);
    // What elements hold elsewhere lies between the blocks: where these are small, whoever walks
    // over many elements jumps too often for the machine to read ahead. Larger ones gain nothing
    // more.
    static constexpr std::size_t largest_block = 65536;

    Head& head() const noexcept { return reinterpret_cast<Head*>(table_)[-1]; }
    bool is_in_arena() const noexcept { return head().pool != nullptr && head().pool->is_arena(); }
    static T* elements(const Block* block) noexcept {
        auto* const first = reinterpret_cast<const unsigned char*>(block) + first_in_block;
        return const_cast<T*>(reinterpret_cast<const T*>(first));
    }

    [[gnu::noinline]] T& make() {
        if (table_ == nullptr) begin(nullptr);
        if (made_ == capacity()) grow(static_cast<std::size_t>(made_) + 1);
        Block* block = head().blocks;
        if (block == nullptr || block->used == block->capacity) block = add_block();
        T* const element = new (elements(block) + block->used) T();
        if constexpr (has_pool) element->wirecost_use(head().pool);
        ++block->used;
        table_[made_++] = element;
        ++size_;
        return *element;
    }
    // The first block, and a table in it.
    void begin(Pool* arena) {
        constexpr int count = sizeof(T) <= 64 ? 2 : 1;
        constexpr std::size_t end = first_in_block + count * sizeof(T);
        constexpr std::size_t at = (end + alignof(Head) - 1) / alignof(Head) * alignof(Head);
        constexpr std::size_t bytes = at + sizeof(Head) + first_table * sizeof(T*);
        auto* const memory = static_cast<unsigned char*>(taken(bytes, arena));
        auto* const block = new (memory) Block{nullptr, 0, count};
        if (arena != nullptr) destroy_at_end(*block, *arena);
        auto* const head = new (memory + at) Head{block, arena, first_table, 0};
        table_ = reinterpret_cast<T**>(head + 1);
    }
    static void* taken(std::size_t bytes, Pool* arena) {
        return arena != nullptr ? arena->room(bytes) : ::operator new(bytes);
    }
    // Messages see to it themselves.
    static void destroy_at_end(Block& block, Pool& arena) {
        if constexpr (!has_pool) {
            arena.at_end(&block, [](void* at) {
                auto* const ended = static_cast<Block*>(at);
                std::destroy_n(elements(ended), ended->used);
            });
        }
    }
    // Half as many as there are, so that little is lost.
    Block* add_block() {
        constexpr int most = std::max<int>(1, (largest_block - first_in_block) / sizeof(T));
        const int count = std::clamp(made_ / 2, 1, most);
        const std::size_t bytes = first_in_block + static_cast<std::size_t>(count) * sizeof(T);
        Pool* const arena = this->arena();
        auto* const block = new (taken(bytes, arena)) Block{head().blocks, 0, count};
        head().blocks = block;
        if (arena != nullptr) destroy_at_end(*block, *arena);
        if constexpr (has_pool) {
            if (head().pool == nullptr && made_ + count >= least_pooled) head().pool = new Pool;
        }
        return block;
    }
    void grow(std::size_t needed) {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        if (needed > most) throw std::length_error("a repeated field of more than 2^31 elements");
        const int old = capacity();
        const std::size_t twice = std::min(2 * static_cast<std::size_t>(old), most);
        // More than a first block's, by which the two are told apart.
        const std::size_t count = std::max({needed, twice, std::size_t{2 * first_table}});
        const std::size_t bytes = sizeof(Head) + count * sizeof(T*);
        Pool* const arena = this->arena();
        void* const before = arena == nullptr && has_table() ? &head() : nullptr;
        void* const moved = arena == nullptr ? std::realloc(before, bytes) : arena->room(bytes);
        if (moved == nullptr) throw std::bad_alloc();
        auto* const grown = static_cast<Head*>(moved);
        if (before == nullptr) {
            *grown = table_ == nullptr ? Head{nullptr, nullptr, 0, 0} : head();
            std::copy_n(table_, made_, reinterpret_cast<T**>(grown + 1));
        }
        grown->capacity = static_cast<int>(count);
        table_ = reinterpret_cast<T**>(grown + 1);
    }
    // Whether the table lies in no block.
    bool has_table() const noexcept { return capacity() > first_table; }
    bool lies_in_block(const T* element) const noexcept {
        for (const Block* block = head().blocks; block != nullptr; block = block->next) {
            const T* const first = elements(block);
            if (element >= first && element < first + block->used) return true;
        }
        return false;
    }
    void destroy() noexcept {
        if (is_in_arena()) return;
        if (head().adopted != 0) {
            for (T** p = table_; p != table_ + made_; ++p) {
                if (!lies_in_block(*p)) delete *p;
            }
        }
        Pool* const pool = head().pool;
        Head* const table = has_table() ? &head() : nullptr;
        for (Block* block = head().blocks; block != nullptr;) {
            std::destroy_n(elements(block), block->used);
            ::operator delete(std::exchange(block, block->next));
        }
        std::free(table);
        delete pool;
    }

    T** table_ = nullptr;
    int size_ = 0;
    int made_ = 0;
};

}  // namespace wirecost::api
