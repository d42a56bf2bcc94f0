// SPDX-License-Identifier: Apache-2.0
// A message in another one that can be absent. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "wirecost/api/pool.hpp"

namespace wirecost::api {

// What a message may take, in bytes, to lie in the one that holds it.
constexpr std::size_t near_size = 64;

template <class T>
struct Room {
    alignas(T) unsigned char bytes[sizeof(T)];
};
struct NoRoom {};

// A small message lies in place, a large one elsewhere, in the pool of its holder if that has one,
// so that an absent one takes little room. What lies in an arena is not destroyed here. It is made
// when it is first asked for, stays where it is until its holder goes, and is kept for the next use
// when it is reset.
template <class T, bool near = (sizeof(T) <= near_size)>
class Sub : private std::conditional_t<near, Room<T>, NoRoom> {
  public:
    // Bytes that the message takes besides those of its holder.
    static constexpr std::size_t apart = near ? 0 : sizeof(T);

    Sub() noexcept {}
    Sub(const Sub& other) {
        if (other.has_value()) make(*other);
    }
    Sub(Sub&& other) noexcept { take(other); }
    Sub& operator=(const Sub& other) {
        if (this == &other) return *this;
        if (!other.has_value())
            reset();
        else if (!is_made())
            make(*other);
        else
            *revived() = *other;
        return *this;
    }
    Sub& operator=(Sub&& other) noexcept {
        if (this != &other) {
            destroy();
            take(other);
        }
        return *this;
    }
    ~Sub() { destroy(); }

    bool has_value() const noexcept { return (state_ & absent) == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    T& operator*() noexcept { return *kept(); }
    const T& operator*() const noexcept { return *kept(); }
    T* operator->() noexcept { return kept(); }
    const T* operator->() const noexcept { return kept(); }
    const T& or_default() const { return has_value() ? *kept() : T::default_instance(); }

    // Present, as it is if it was. `pool`: its holder's.
    T& touch(Pool* pool = nullptr) { return has_value() ? *kept() : emplace(pool); }
    void reset() noexcept { state_ |= absent; }

    // Takes what `value` points to, from `new` or in the arena that `pool` is, in the place of what
    // was here; nothing if null. Of another arena it takes a copy.
    void adopt(T* value, Pool* pool = nullptr) {
        if (has_value() && value == kept()) return;
        if (value == nullptr && lies_in_arena()) return reset();
        Pool* const theirs = value == nullptr ? nullptr : value->GetArena();
        if (theirs != nullptr && theirs != pool) {
            touch(pool) = *value;
            return;
        }
        destroy();
        if (value != nullptr) keep(value, theirs != nullptr ? in_arena : 0);
    }
    // What was here, for `delete`; null if absent.
    T* release() {
        if (!has_value()) return nullptr;
        if (lies_here() || lies_in_pool()) {
            T* const moved = new T(std::move(*kept()));
            reset();
            return moved;
        }
        T* const released = kept();
        forget();
        return released;
    }
    // Bytes besides its own.
    std::size_t space() const {
        if (!is_made()) return 0;
        return kept()->SpaceUsedLong() - (lies_here() ? sizeof(T) : 0);
    }

    bool operator==(const Sub& other) const {
        return has_value() == other.has_value() && (!has_value() || **this == *other);
    }

  private:
    // The address of what there is, and bits: it is absent, and kept for the next use; it lies in a
    // pool; what lay there was destroyed, and whoever repeats that shall not fill the pool. Both:
    // it lies in an arena.
    static constexpr std::uintptr_t absent = 1, in_pool = 2, left_pool = 4;
    static constexpr std::uintptr_t in_arena = in_pool | left_pool;
    static constexpr std::uintptr_t bits = absent | in_arena;

    // Nothing, or what was there given away.
    void forget(std::uintptr_t more = 0) noexcept { state_ = absent | (state_ & left_pool) | more; }
    void keep(T* made, std::uintptr_t more = 0) noexcept {
        static_assert(alignof(T) > bits);
        state_ = reinterpret_cast<std::uintptr_t>(made) | (state_ & left_pool) | more;
    }

    T* kept() const noexcept { return reinterpret_cast<T*>(state_ & ~bits); }
    bool is_made() const noexcept { return kept() != nullptr; }
    bool lies_in_pool() const noexcept { return (state_ & in_pool) != 0; }
    bool lies_in_arena() const noexcept { return (state_ & in_arena) == in_arena; }
    bool lies_here() const noexcept {
        if constexpr (near)
            return kept() == reinterpret_cast<const T*>(this->bytes);
        else
            return false;
    }
    T* revived() noexcept {
        state_ &= ~absent;
        return kept();
    }
    [[gnu::noinline]] T& emplace(Pool* pool) {
        return state_ == absent && pool != nullptr && pool->is_arena() ? make_in(*pool)
                                                                       : emplace_elsewhere(pool);
    }
    [[gnu::noinline]] T& emplace_elsewhere(Pool* pool) {
        if (!is_made()) {
            const bool takes_pool = pool != nullptr && (state_ & left_pool) == 0;
            return takes_pool && (!near || pool->is_arena()) ? make_in(*pool) : make();
        }
        kept()->Clear();
        return *revived();
    }
    template <class... Arguments>
    T& make(Arguments&&... arguments) {
        if constexpr (near) {
            if ((state_ & left_pool) == 0) {  // else the arena may destroy what lies here
                keep(new (this->bytes) T(std::forward<Arguments>(arguments)...));
                return *kept();
            }
        }
        keep(new T(std::forward<Arguments>(arguments)...));
        return *kept();
    }
    T& make_in(Pool& pool) {
        void* place = nullptr;
        if constexpr (near)
            place = this->bytes;
        else
            place = pool.room<T>();
        T* const made = new (place) T();
        made->wirecost_use(&pool);
        keep(made, pool.is_arena() ? in_arena : in_pool);
        return *made;
    }
    void take(Sub& other) noexcept {  // where nothing is
        if (!other.has_value()) return;
        if (other.lies_here() || other.lies_in_pool()) {
            make(std::move(*other));
        } else {
            keep(other.kept());
            other.forget();
        }
    }
    void destroy() noexcept {
        if (!is_made()) return;
        const bool was_in_pool = lies_in_pool();
        if (!lies_here() && !was_in_pool)
            delete kept();
        else if (!lies_in_arena())
            kept()->~T();
        forget(was_in_pool ? left_pool : 0);
    }

    std::uintptr_t state_ = absent;
};

}  // namespace wirecost::api
