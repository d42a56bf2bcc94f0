// SPDX-License-Identifier: Apache-2.0
// A message in another one that can be absent. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace wirecost::api {

// What a message may take, in bytes, to lie in the one that holds it.
constexpr std::size_t near_size = 64;

template <class T>
struct Room {
    alignas(T) unsigned char bytes[sizeof(T)];
};
struct NoRoom {};

// A small message lies in place, a large one elsewhere, so that an absent one takes little room. It
// is made when it is first asked for, stays where it is until its holder goes, and is kept for the
// next use when it is reset.
template <class T, bool near = (sizeof(T) <= near_size)>
class Sub : private std::conditional_t<near, Room<T>, NoRoom> {
  public:
    Sub() noexcept {}
    Sub(const Sub& other) {
        if (other.has_value()) make(*other);
    }
    Sub(Sub&& other) noexcept { take(other); }
    Sub& operator=(const Sub& other) {
        if (this == &other) return *this;
        if (!other.has_value())
            reset();
        else if (state_ == none)
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

    // Present, as it is if it was.
    T& touch() { return has_value() ? *kept() : emplace(); }
    void reset() noexcept { state_ |= absent; }

    // Takes what `value` points to, from `new`, in the place of what was here; nothing if null.
    void adopt(T* value) {
        if (has_value() && value == kept()) return;
        destroy();
        if (value != nullptr) state_ = address(value);
    }
    // What was here, for `delete`; null if absent.
    T* release() {
        if (!has_value()) return nullptr;
        if (lies_here()) {
            T* const moved = new T(std::move(*kept()));
            reset();
            return moved;
        }
        return reinterpret_cast<T*>(std::exchange(state_, none));
    }
    // Bytes besides its own.
    std::size_t space() const {
        if (state_ == none) return 0;
        return kept()->SpaceUsedLong() - (lies_here() ? sizeof(T) : 0);
    }

    bool operator==(const Sub& other) const {
        return has_value() == other.has_value() && (!has_value() || **this == *other);
    }

  private:
    // The address of what there is; its lowest bit: it is absent, and kept for the next use.
    static constexpr std::uintptr_t absent = 1;
    static constexpr std::uintptr_t none = absent;

    static std::uintptr_t address(T* value) noexcept {
        return reinterpret_cast<std::uintptr_t>(value);
    }
    T* kept() const noexcept { return reinterpret_cast<T*>(state_ & ~absent); }
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
    [[gnu::noinline]] T& emplace() {
        if (state_ == none) return make();
        kept()->Clear();
        return *revived();
    }
    template <class... Arguments>
    T& make(Arguments&&... arguments) {
        if constexpr (near)
            state_ = address(new (this->bytes) T(std::forward<Arguments>(arguments)...));
        else
            state_ = address(new T(std::forward<Arguments>(arguments)...));
        return *kept();
    }
    void take(Sub& other) noexcept {  // where nothing is
        if (!other.has_value()) return;
        if (other.lies_here())
            make(std::move(*other));
        else
            state_ = std::exchange(other.state_, none);
    }
    void destroy() noexcept {
        if (state_ == none) return;
        if (lies_here())
            kept()->~T();
        else
            delete kept();
        state_ = none;
    }

    std::uintptr_t state_ = none;
};

}  // namespace wirecost::api
