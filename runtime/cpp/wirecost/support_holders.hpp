// SPDX-License-Identifier: Apache-2.0
// What generated holders are made of: strings, optional values, sequences and maps that keep their
// storage. C++20, standard library only.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "wirecost/support_memory.hpp"

namespace wirecost {

// A string or bytes. Sixteen of them, an identifier, need no allocation.
template <class Memory>
class BasicString {
  public:
    BasicString() noexcept {}  // nothing is inline yet
    BasicString(std::string_view text) : BasicString() { assign(text); }
    BasicString(const std::string& text) : BasicString(std::string_view(text)) {}
    BasicString(const char* text) : BasicString(std::string_view(text)) {}
    BasicString(const BasicString& other) : BasicString() { assign(other.view()); }
    BasicString(BasicString&& other) noexcept : BasicString() { steal(other); }
    BasicString& operator=(std::string_view text) { return assign(text); }
    BasicString& operator=(const std::string& text) { return assign(text); }
    BasicString& operator=(const char* text) { return assign(text); }
    BasicString& operator=(const BasicString& other) { return assign(other.view()); }
    BasicString& operator=(BasicString&& other) noexcept {
        if (this != &other) {
            release();
            data_ = inline_.data();
            capacity_ = inline_size;
            size_ = 0;
            steal(other);
        }
        return *this;
    }
    ~BasicString() { release(); }

    // `text` may lie in this string.
    [[gnu::always_inline]] BasicString& assign(std::string_view text) {
        if (text.size() > capacity_) return replace(text);
        copy_bytes(data_, text.data(), text.size());
        size_ = static_cast<std::uint32_t>(text.size());
        return *this;
    }
    [[gnu::always_inline]] BasicString& assign(const char* text, std::size_t size) {
        return assign(std::string_view(text, size));
    }
    void clear() noexcept { size_ = 0; }

    std::string_view view() const noexcept { return {data_, size_}; }
    operator std::string_view() const noexcept { return view(); }
    std::string str() const { return std::string(view()); }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    char* data() noexcept { return data_; }
    const char* data() const noexcept { return data_; }
    char* begin() noexcept { return data_; }
    char* end() noexcept { return data_ + size_; }
    const char* begin() const noexcept { return data_; }
    const char* end() const noexcept { return data_ + size_; }
    char operator[](std::size_t i) const noexcept { return data_[i]; }

    friend bool operator==(const BasicString& a, const BasicString& b) noexcept {
        return a.view() == b.view();
    }
    friend auto operator<=>(const BasicString& a, const BasicString& b) noexcept {
        return a.view() <=> b.view();
    }
    friend bool operator==(const BasicString& a, std::string_view b) noexcept {
        return a.view() == b;
    }
    friend bool operator==(const BasicString& a, const std::string& b) noexcept {
        return a.view() == b;
    }
    friend bool operator==(const BasicString& a, const char* b) noexcept { return a.view() == b; }

  private:
    static constexpr std::uint32_t inline_size = 16;
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();

    void release() noexcept {
        if (data_ != inline_.data()) Memory::give(data_, capacity_);
    }
    // By what does not fit into it.
    [[gnu::noinline]] BasicString& replace(std::string_view text) {
        if (text.size() > most) throw std::length_error("a string beyond 4 GiB");
        std::size_t room = text.size();
        auto* const made = static_cast<char*>(Memory::take(room));
        std::memcpy(made, text.data(), text.size());
        release();
        data_ = made;
        size_ = static_cast<std::uint32_t>(text.size());
        capacity_ = static_cast<std::uint32_t>(std::min(room, most));
        return *this;
    }
    void steal(BasicString& other) noexcept {
        if (other.data_ == other.inline_.data()) {
            inline_ = other.inline_;
            size_ = std::exchange(other.size_, 0);
        } else {
            data_ = std::exchange(other.data_, other.inline_.data());
            size_ = std::exchange(other.size_, 0);
            capacity_ = std::exchange(other.capacity_, inline_size);
        }
    }

    std::array<char, inline_size> inline_;
    char* data_ = inline_.data();
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = inline_size;
};

using String = BasicString<Recycled>;
using PlainString = BasicString<Plain>;

template <class T>
const T& default_instance() {
    static const T value{};
    return value;
}

template <class T>
void clear(T& value) {
    if constexpr (requires { value.clear(); }) {
        value.clear();
    } else {
        value = T{};
    }
}

template <class... Types>
void clear(std::variant<Types...>& value) {
    value.template emplace<0>();
}

// A value that can be absent. Unlike std::optional it keeps the value's storage when reset, so
// that what is used again allocates nothing.
template <class T>
class Optional {
  public:
    Optional() = default;
    Optional(T value) : value_(std::move(value)), present_(true) {}
    Optional& operator=(T value) {
        value_ = std::move(value);
        present_ = true;
        return *this;
    }

    bool has_value() const noexcept { return present_; }
    explicit operator bool() const noexcept { return present_; }
    T& operator*() noexcept { return value_; }
    const T& operator*() const noexcept { return value_; }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }

    void reset() noexcept { present_ = false; }
    T& emplace() {  // present and cleared
        wirecost::clear(value_);
        present_ = true;
        return value_;
    }
    T& touch() { return present_ ? value_ : emplace(); }  // present, as it is if it was
    T& overwrite() noexcept {                             // present, with any content
        present_ = true;
        return value_;
    }
    T value_or(T other) const { return present_ ? value_ : other; }
    const T& or_default() const { return present_ ? value_ : default_instance<T>(); }
    void clear() noexcept { reset(); }

    bool operator==(const Optional& other) const {
        return present_ == other.present_ && (!present_ || value_ == other.value_);
    }

  private:
    T value_{};
    bool present_ = false;
};

// A message that can be absent and that contains its own type, so it lies elsewhere.
template <class T>
class Box {
  public:
    Box() = default;
    Box(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Box(const Box& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Box(Box&&) noexcept = default;
    Box& operator=(const Box& other) {
        value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
        return *this;
    }
    Box& operator=(Box&&) noexcept = default;
    ~Box() = default;

    bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
    T& operator*() noexcept { return *value_; }
    const T& operator*() const noexcept { return *value_; }
    T* operator->() noexcept { return value_.get(); }
    const T* operator->() const noexcept { return value_.get(); }

    void reset() noexcept { value_.reset(); }
    T& emplace() {
        value_ = std::make_unique<T>();
        return *value_;
    }
    T& touch() { return value_ ? *value_ : emplace(); }
    T& overwrite() { return touch(); }
    const T& or_default() const { return value_ ? *value_ : default_instance<T>(); }
    void clear() noexcept { reset(); }

    bool operator==(const Box& other) const {
        return has_value() == other.has_value() && (!value_ || *value_ == *other.value_);
    }

  private:
    std::unique_ptr<T> value_;
};

// A vector of messages or strings that keeps the storage of the elements it drops.
template <class T, class Memory = Recycled>
class Sequence {
  public:
    using value_type = T;

    Sequence() = default;
    Sequence(std::initializer_list<T> values) : storage_(values), size_(values.size()) {}
    Sequence(const Sequence& other) : storage_(other.begin(), other.end()), size_(other.size_) {}
    Sequence(Sequence&& other) noexcept
        : storage_(std::move(other.storage_)), size_(std::exchange(other.size_, 0)) {}
    Sequence& operator=(const Sequence& other) {
        if (this != &other) {
            resize(other.size_);
            std::copy(other.begin(), other.end(), begin());
        }
        return *this;
    }
    Sequence& operator=(Sequence&& other) noexcept {
        if (this != &other) {
            storage_ = std::move(other.storage_);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }
    ~Sequence() = default;

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](std::size_t i) noexcept { return storage_[i]; }
    const T& operator[](std::size_t i) const noexcept { return storage_[i]; }
    T& back() noexcept { return storage_[size_ - 1]; }
    const T& back() const noexcept { return storage_[size_ - 1]; }
    T* data() noexcept { return storage_.data(); }
    const T* data() const noexcept { return storage_.data(); }
    T* begin() noexcept { return data(); }
    T* end() noexcept { return data() + size_; }
    const T* begin() const noexcept { return data(); }
    const T* end() const noexcept { return data() + size_; }

    void clear() noexcept { size_ = 0; }
    void reserve(std::size_t n) { storage_.reserve(n); }
    bool is_full() const noexcept { return size_ == storage_.capacity(); }
    T& emplace_back() {
        if (size_ == storage_.size()) {
            ++size_;
            return storage_.emplace_back();
        }
        T& element = storage_[size_++];
        wirecost::clear(element);
        return element;
    }
    T& overwrite_back() {  // an element with any content
        if (size_ == storage_.size()) storage_.emplace_back();
        return storage_[size_++];
    }
    void push_back(T value) { overwrite_back() = std::move(value); }
    void pop_back() noexcept { --size_; }
    void resize(std::size_t n) {
        const std::size_t kept = std::min(size_, n);
        overwrite(n);
        for (std::size_t i = kept; i < n; ++i) wirecost::clear(storage_[i]);
    }
    void overwrite(std::size_t n) {  // n elements with any content
        if (n > storage_.size()) storage_.resize(n);
        size_ = n;
    }

    bool operator==(const Sequence& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

  private:
    std::vector<T, typename Memory::template Allocator<T>> storage_;
    std::size_t size_ = 0;
};

template <class T>
using PlainSequence = Sequence<T, Plain>;

// A map as its entries in the order of keys.
template <class K, class V, class Memory = Recycled>
class Map {
  public:
    struct Entry {
        K key{};
        V value{};
        // Not defaulted, nor the map's: compilers look into these where V is still incomplete.
        bool operator==(const Entry& other) const {
            return key == other.key && value == other.value;
        }
        void clear() {
            wirecost::clear(key);
            wirecost::clear(value);
        }
    };

    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    const Entry* begin() const noexcept { return entries_.begin(); }
    const Entry* end() const noexcept { return entries_.end(); }
    Entry* begin() noexcept { return entries_.begin(); }
    Entry* end() noexcept { return entries_.end(); }
    void clear() noexcept { entries_.clear(); }

    const V* find(const K& key) const {
        const Entry* at = std::lower_bound(begin(), end(), key, before);
        return at != end() && at->key == key ? &at->value : nullptr;
    }
    V& operator[](const K& key) {
        const std::size_t at = std::lower_bound(begin(), end(), key, before) - begin();
        if (at == size() || begin()[at].key != key) {
            entries_.emplace_back().key = key;
            std::rotate(begin() + at, end() - 1, end());
        }
        return begin()[at].value;
    }

    Entry& append() { return entries_.emplace_back(); }  // decoders: then call settle()
    void drop() noexcept { entries_.pop_back(); }        // what was just appended
    void settle() {  // sort what was appended; of equal keys the last one stays
        const auto unsorted = [](const Entry& a, const Entry& b) { return !(a.key < b.key); };
        if (std::adjacent_find(begin(), end(), unsorted) == end()) return;
        sort(begin(), end());
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            if (i + 1 < size() && begin()[i + 1].key == begin()[i].key) continue;
            if (kept != i) std::swap(begin()[kept], begin()[i]);
            ++kept;
        }
        while (entries_.size() > kept) entries_.pop_back();
    }

    bool operator==(const Map& other) const { return entries_ == other.entries_; }

  private:
    static bool before(const Entry& entry, const K& key) { return entry.key < key; }
    static bool after(const K& key, const Entry& entry) { return key < entry.key; }

    // Stable, and in place so that it allocates nothing.
    static void sort(Entry* first, Entry* last) {
        if (last - first < 2) return;
        Entry* const middle = first + (last - first) / 2;
        sort(first, middle);
        sort(middle, last);
        merge(first, middle, last);
    }
    static void merge(Entry* first, Entry* middle, Entry* last) {
        if (first == middle || middle == last || !(middle->key < middle[-1].key)) return;
        if (last - first == 2) return std::swap(*first, *middle);
        Entry* left = first + (middle - first) / 2;
        Entry* right = middle + (last - middle) / 2;
        if (middle - first > last - middle) {
            right = std::lower_bound(middle, last, left->key, before);
        } else {
            left = std::upper_bound(first, middle, right->key, after);
        }
        Entry* const joined = std::rotate(left, middle, right);
        merge(first, left, joined);
        merge(joined, right, last);
    }

    Sequence<Entry, Memory> entries_;
};

template <class K, class V>
using PlainMap = Map<K, V, Plain>;

}  // namespace wirecost
