// SPDX-License-Identifier: Apache-2.0
// A repeated field of messages or strings, with the interface of Protobuf's. C++17.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "wirecost/api/elements.hpp"

namespace wirecost::api {

// What messages and strings do by different names.
template <class T>
void clear_element(T& element) {
    element.Clear();
}
inline void clear_element(std::string& element) noexcept {
    element.clear();
}
template <class T>
std::size_t space_of_element(const T& element) {
    return element.SpaceUsedLong();
}
inline std::size_t space_of(const std::string& text) noexcept {
    return text.capacity() < sizeof(std::string) / 2 ? 0 : text.capacity() + 1;
}
inline std::size_t space_of_element(const std::string& element) noexcept {
    return sizeof element + space_of(element);
}

// Over a table of pointers; `Element` is const or not.
template <class Element>
class RepeatedPtrIterator {
  public:
    using value_type = std::remove_const_t<Element>;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;
    using iterator_category = std::random_access_iterator_tag;

    RepeatedPtrIterator() = default;
    explicit RepeatedPtrIterator(value_type* const* at) noexcept : at_(at) {}
    operator RepeatedPtrIterator<const value_type>() const noexcept {
        return RepeatedPtrIterator<const value_type>(at_);
    }

    Element& operator*() const noexcept { return **at_; }
    Element* operator->() const noexcept { return *at_; }
    Element& operator[](difference_type n) const noexcept { return *at_[n]; }
    RepeatedPtrIterator& operator++() noexcept { return *this += 1; }
    RepeatedPtrIterator& operator--() noexcept { return *this -= 1; }
    RepeatedPtrIterator operator++(int) noexcept { return RepeatedPtrIterator(at_++); }
    RepeatedPtrIterator operator--(int) noexcept { return RepeatedPtrIterator(at_--); }
    RepeatedPtrIterator& operator+=(difference_type n) noexcept {
        at_ += n;
        return *this;
    }
    RepeatedPtrIterator& operator-=(difference_type n) noexcept { return *this += -n; }
    friend RepeatedPtrIterator operator+(RepeatedPtrIterator it, difference_type n) noexcept {
        return it += n;
    }
    friend RepeatedPtrIterator operator+(difference_type n, RepeatedPtrIterator it) noexcept {
        return it += n;
    }
    friend RepeatedPtrIterator operator-(RepeatedPtrIterator it, difference_type n) noexcept {
        return it -= n;
    }
    friend difference_type operator-(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept {
        return a.at_ - b.at_;
    }
    friend bool operator==(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept {
        return a.at_ == b.at_;
    }
    friend bool operator!=(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept {
        return a.at_ != b.at_;
    }
    friend bool operator<(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept {
        return a.at_ < b.at_;
    }
    friend bool operator>(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept { return b < a; }
    friend bool operator<=(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept {
        return !(b < a);
    }
    friend bool operator>=(RepeatedPtrIterator a, RepeatedPtrIterator b) noexcept {
        return !(a < b);
    }
    // Where in the table.
    value_type* const* place() const noexcept { return at_; }

  private:
    value_type* const* at_ = nullptr;
};

template <class T>
class RepeatedPtrField {
  public:
    using value_type = T;
    using size_type = int;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = RepeatedPtrIterator<T>;
    using const_iterator = RepeatedPtrIterator<const T>;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;
    using pointer_iterator = T**;
    using const_pointer_iterator = T* const*;

    RepeatedPtrField() noexcept {}
    template <class Iterator>
    RepeatedPtrField(Iterator first, Iterator last) {
        Add(first, last);
    }
    RepeatedPtrField(const RepeatedPtrField& other) { MergeFrom(other); }
    RepeatedPtrField(RepeatedPtrField&& other) noexcept { Swap(&other); }
    RepeatedPtrField& operator=(const RepeatedPtrField& other) {
        CopyFrom(other);
        return *this;
    }
    RepeatedPtrField& operator=(RepeatedPtrField&& other) noexcept {
        Swap(&other);
        return *this;
    }
    ~RepeatedPtrField() = default;

    int size() const noexcept { return elements_.size(); }
    bool empty() const noexcept { return size() == 0; }
    int Capacity() const noexcept { return elements_.capacity(); }
    template <class Index>
    T& operator[](Index i) noexcept {
        return elements_[static_cast<std::size_t>(i)];
    }
    template <class Index>
    const T& operator[](Index i) const noexcept {
        return elements_[static_cast<std::size_t>(i)];
    }
    const T& Get(int i) const noexcept { return (*this)[i]; }
    T* Mutable(int i) noexcept { return &(*this)[i]; }
    const T& at(int i) const { return (*this)[checked(i)]; }
    T& at(int i) { return (*this)[checked(i)]; }

    T* Add() { return &emplace_back(); }
    void Add(const T& value) { overwrite_back() = value; }
    void Add(T&& value) { overwrite_back() = std::move(value); }
    template <class Iterator>
    void Add(Iterator first, Iterator last) {
        for (; first != last; ++first) Add(*first);
    }
    void RemoveLast() noexcept { elements_.shorten(size() - 1); }
    void Clear() noexcept { elements_.shorten(0); }
    void Reserve(int size) { elements_.reserve(size); }
    void MergeFrom(const RepeatedPtrField& other) {
        Reserve(size() + other.size());
        for (int i = 0, count = other.size(); i < count; ++i) Add(other[i]);
    }
    void CopyFrom(const RepeatedPtrField& other) {
        if (this == &other) return;
        Clear();
        MergeFrom(other);
    }
    template <class Iterator>
    void Assign(Iterator first, Iterator last) {
        Clear();
        Add(first, last);
    }
    void DeleteSubrange(int start, int count) noexcept {
        T** const from = elements_.table() + start;
        if (count != 0) std::rotate(from, from + count, elements_.table() + size());
        elements_.shorten(size() - count);
    }
    // Takes `count` elements out from `start` on, and puts them, for `delete`, into `taken` unless
    // it is null.
    void ExtractSubrange(int start, int count, T** taken) {
        T** const from = elements_.table() + start;
        if (count != 0) std::rotate(from, from + count, elements_.table() + size());
        for (int i = count; i-- > 0;) {
            if (taken != nullptr)
                taken[i] = elements_.release();
            else
                RemoveLast();
        }
    }
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last) {
        const auto start = first - cbegin();
        DeleteSubrange(static_cast<int>(start), static_cast<int>(last - first));
        return begin() + start;
    }
    // Of two arenas, or of one and none, by copies.
    void Swap(RepeatedPtrField* other) noexcept {
        if (elements_.arena() == other->elements_.arena()) return elements_.swap(other->elements_);
        const RepeatedPtrField mine(*this);
        CopyFrom(*other);
        other->CopyFrom(mine);
    }
    void SwapElements(int i, int j) noexcept {
        std::swap(elements_.table()[i], elements_.table()[j]);
    }
    // Takes what `value` points to, from `new`.
    void AddAllocated(T* value) { elements_.adopt(value); }
    // The last one, for `delete`.
    T* ReleaseLast() { return elements_.release(); }

    T** mutable_data() noexcept { return elements_.table(); }
    T* const* data() const noexcept { return elements_.table(); }
    iterator begin() noexcept { return iterator(elements_.table()); }
    iterator end() noexcept { return begin() + size(); }
    const_iterator begin() const noexcept { return const_iterator(elements_.table()); }
    const_iterator end() const noexcept { return begin() + size(); }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    pointer_iterator pointer_begin() noexcept { return elements_.table(); }
    pointer_iterator pointer_end() noexcept { return elements_.table() + size(); }
    const_pointer_iterator pointer_begin() const noexcept { return elements_.table(); }
    const_pointer_iterator pointer_end() const noexcept { return elements_.table() + size(); }

    std::size_t SpaceUsedExcludingSelfLong() const {
        std::size_t bytes = elements_.space();
        for (int i = 0; i < elements_.made(); ++i)
            bytes += space_of_element(elements_[static_cast<std::size_t>(i)]);
        return bytes;
    }
    bool operator==(const RepeatedPtrField& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

    // Takes memory from `pool` if that is an arena and this has none yet.
    RepeatedPtrField& in(Pool* pool) {
        elements_.use(pool);
        return *this;
    }

    // As decoders call them.
    T& emplace_back() {
        bool was_used = false;
        T& element = elements_.add(was_used);
        if (was_used) clear_element(element);
        return element;
    }
    T& overwrite_back() {  // an element with any content
        bool was_used = false;
        return elements_.add(was_used);
    }

  private:
    int checked(int i) const {
        if (i < 0 || i >= size()) throw std::out_of_range("RepeatedPtrField::at");
        return i;
    }

    Elements<T> elements_;
};

template <class T>
void swap(RepeatedPtrField<T>& a, RepeatedPtrField<T>& b) noexcept {
    a.Swap(&b);
}

}  // namespace wirecost::api
