// SPDX-License-Identifier: Apache-2.0
// A repeated field of numbers, with the interface of Protobuf's. C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "wirecost/api/pool.hpp"

namespace wirecost::api {

template <class T>
class RepeatedField {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    using value_type = T;
    using size_type = int;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    RepeatedField() noexcept {}
    template <class Iterator>
    RepeatedField(Iterator first, Iterator last) {
        Add(first, last);
    }
    RepeatedField(const RepeatedField& other) { MergeFrom(other); }
    RepeatedField(RepeatedField&& other) noexcept { Swap(&other); }
    RepeatedField& operator=(const RepeatedField& other) {
        CopyFrom(other);
        return *this;
    }
    RepeatedField& operator=(RepeatedField&& other) noexcept {
        Swap(&other);
        return *this;
    }
    ~RepeatedField() {
        if (data_ != nullptr && head().arena == nullptr) std::free(&head());
    }

    int size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    int Capacity() const noexcept { return capacity_; }
    template <class Index>
    T& operator[](Index i) noexcept {
        return data_[i];
    }
    template <class Index>
    const T& operator[](Index i) const noexcept {
        return data_[i];
    }
    const T& Get(int i) const noexcept { return data_[i]; }
    T* Mutable(int i) noexcept { return &data_[i]; }
    void Set(int i, T value) noexcept { data_[i] = value; }
    const T& at(int i) const { return data_[checked(i)]; }
    T& at(int i) { return data_[checked(i)]; }

    void Add(T value) {
        if (size_ == capacity_) grow(static_cast<std::size_t>(size_) + 1);
        data_[size_++] = value;
    }
    T* Add() {
        Add(T{});
        return &data_[size_ - 1];
    }
    template <class Iterator>
    void Add(Iterator first, Iterator last) {
        for (; first != last; ++first) Add(static_cast<T>(*first));
    }
    void RemoveLast() noexcept { --size_; }
    void Clear() noexcept { size_ = 0; }
    void Truncate(int size) noexcept { size_ = std::min(size, size_); }
    void Reserve(int size) {
        if (size > capacity_) grow(static_cast<std::size_t>(size));
    }
    void Resize(int size, T value) {
        Reserve(size);
        if (size > size_) std::fill(data_ + size_, data_ + size, value);
        size_ = size;
    }
    void MergeFrom(const RepeatedField& other) {
        const int added = other.size_;
        if (added == 0) return;
        const int old = size_;
        resize(static_cast<std::size_t>(old) + static_cast<std::size_t>(added));
        std::copy_n(other.data_, added, data_ + old);
    }
    void CopyFrom(const RepeatedField& other) {
        if (this == &other) return;
        Clear();
        MergeFrom(other);
    }
    template <class Iterator>
    void Assign(Iterator first, Iterator last) {
        Clear();
        Add(first, last);
    }
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last) {
        T* const to = data_ + (first - data_);
        size_ = static_cast<int>(std::copy(last, cend(), to) - data_);
        return to;
    }
    // Takes `count` elements out from `start` on, and puts them into `elements` unless it is null.
    void ExtractSubrange(int start, int count, T* elements) {
        if (elements != nullptr) std::copy_n(data_ + start, count, elements);
        if (count != 0) erase(data_ + start, data_ + start + count);
    }
    // Of two arenas, or of one and none, by copies.
    void Swap(RepeatedField* other) noexcept {
        if (arena() != other->arena()) {
            const RepeatedField mine(*this);
            CopyFrom(*other);
            return other->CopyFrom(mine);
        }
        std::swap(data_, other->data_);
        std::swap(size_, other->size_);
        std::swap(capacity_, other->capacity_);
    }
    void SwapElements(int i, int j) noexcept { std::swap(data_[i], data_[j]); }

    T* mutable_data() noexcept { return data_; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    iterator begin() noexcept { return data_; }
    iterator end() noexcept { return data_ + size_; }
    const_iterator begin() const noexcept { return data_; }
    const_iterator end() const noexcept { return data_ + size_; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }

    std::size_t SpaceUsedExcludingSelfLong() const noexcept {
        return static_cast<std::size_t>(capacity_) * sizeof(T);
    }
    bool operator==(const RepeatedField& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

    // Takes memory from `pool` if that is an arena and this has none yet.
    RepeatedField& in(Pool* pool) {
        if (data_ == nullptr && pool != nullptr && pool->is_arena()) place(least, pool);
        return *this;
    }

    // As decoders call them; what `resize` adds has any content.
    void push_back(T value) { Add(value); }
    void resize(std::size_t size) {
        if (size > static_cast<std::size_t>(capacity_)) grow(size);
        size_ = static_cast<int>(size);
    }

  private:
    struct Head {  // before the elements
        Pool* arena;
    };
    static_assert(alignof(T) <= alignof(Head));
    static constexpr std::size_t least = 4;

    Head& head() const noexcept { return reinterpret_cast<Head*>(data_)[-1]; }
    Pool* arena() const noexcept { return data_ != nullptr ? head().arena : nullptr; }
    int checked(int i) const {
        if (i < 0 || i >= size_) throw std::out_of_range("RepeatedField::at");
        return i;
    }
    [[gnu::noinline]] void grow(std::size_t needed) {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        if (needed > most) throw std::length_error("a repeated field of more than 2^31 elements");
        const std::size_t twice = std::min(2 * static_cast<std::size_t>(capacity_), most);
        place(std::max({needed, twice, least}), arena());
    }
    void place(std::size_t size, Pool* arena) {
        const std::size_t bytes = sizeof(Head) + size * sizeof(T);
        void* const before = data_ == nullptr || arena != nullptr ? nullptr : &head();
        void* const moved = arena != nullptr ? arena->room(bytes) : std::realloc(before, bytes);
        if (moved == nullptr) throw std::bad_alloc();
        auto* const head = new (moved) Head{arena};
        T* const placed = reinterpret_cast<T*>(head + 1);
        if (arena != nullptr) std::copy_n(data_, size_, placed);
        data_ = placed;
        capacity_ = static_cast<int>(size);
    }

    T* data_ = nullptr;
    int size_ = 0;
    int capacity_ = 0;
};

template <class T>
void swap(RepeatedField<T>& a, RepeatedField<T>& b) noexcept {
    a.Swap(&b);
}

}  // namespace wirecost::api
