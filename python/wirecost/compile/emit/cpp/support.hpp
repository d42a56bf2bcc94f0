// SPDX-License-Identifier: Apache-2.0
// What generated code shares: errors as values, holders that keep their storage, and the bytes of
// the wires. C++20, standard library only.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace wirecost {

static_assert(std::endian::native == std::endian::little, "a little-endian machine is needed");

// --- errors ---------------------------------------------------------------------------------

enum class Reason : std::uint8_t {
    none,
    buffer_too_small,
    too_large,
    truncated,
    bad_length,
    bad_tag,
    bad_varint,
    bad_utf8,
    bad_header,
    bad_choice,
    bad_group,
    trailing_bytes,
    missing_required,
    over_capacity,
    nested_too_deep,
    too_much_memory,
    split_message,
};

constexpr const char* text(Reason reason) noexcept {
    constexpr std::array<const char*, 17> texts{
        "no error",
        "the buffer is too small for the message",
        "the message is larger than the wire can carry",
        "the message ends too early",
        "a length reaches beyond the message",
        "a field's tag is not valid",
        "a varint is longer than ten bytes",
        "a string is not UTF-8",
        "the encapsulation header is not known",
        "a oneof names a field it does not have",
        "a group does not end with its own end tag",
        "bytes follow the message",
        "a required field is missing",
        "a bounded field holds more than its bound",
        "messages are nested too deep",
        "the message asks for too much memory",
        "a sub-message comes in two parts, which a view cannot join: decode it instead",
    };
    return texts[static_cast<std::size_t>(reason)];
}

// Contextually true if something is wrong. `position` counts bytes from the begin of the input.
struct Error {
    Reason reason = Reason::none;
    std::size_t position = 0;

    explicit operator bool() const noexcept { return reason != Reason::none; }
    const char* what() const noexcept { return text(reason); }
};

// The part of the caller's buffer that holds the message; nothing if `error`.
struct Encoded {
    std::span<std::byte> bytes;
    Error error;
};

// What a hostile message may cost: decoders stop before they go beyond.
struct Limits {
    int depth = 100;                              // of messages in the outermost one
    std::size_t memory = std::size_t{64} << 20U;  // of repeated messages and strings, bytes

    // What each byte of input may ask for besides.
    static constexpr std::size_t free_memory = 64;
};

// --- memory ---------------------------------------------------------------------------------

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

// Small blocks that strings and sequences gave back, kept by each thread for the next message: a
// new message costs a handful of them, and taking one from here is a few instructions.
class Recycled {
  public:
    static void* take(std::size_t& size) {  // `size` becomes what the block holds
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

  private:
    static constexpr std::size_t smallest = 32;
    static constexpr std::size_t classes = 7;
    static constexpr std::size_t largest = smallest << (classes - 1);
#if defined(__SANITIZE_ADDRESS__) || defined(WIRECOST_NO_RECYCLING)
    static constexpr int blocks_kept = 0;  // so that the sanitizer sees every use after free
#else
    static constexpr int blocks_kept = 256;  // of each class: half a megabyte in all
#endif

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
        return static_cast<T*>(Recycled::take(size));
    }
    void deallocate(T* p, std::size_t n) noexcept { Recycled::give(p, n * sizeof(T)); }
    bool operator==(const Allocator&) const = default;
};

// --- holders --------------------------------------------------------------------------------

// A string or bytes. Sixteen of them, an identifier, need no allocation.
class String {
  public:
    String() noexcept {}  // nothing is inline yet
    String(std::string_view text) : String() { assign(text); }
    String(const std::string& text) : String(std::string_view(text)) {}
    String(const char* text) : String(std::string_view(text)) {}
    String(const String& other) : String() { assign(other.view()); }
    String(String&& other) noexcept : String() { steal(other); }
    String& operator=(std::string_view text) { return assign(text); }
    String& operator=(const std::string& text) { return assign(text); }
    String& operator=(const char* text) { return assign(text); }
    String& operator=(const String& other) { return assign(other.view()); }
    String& operator=(String&& other) noexcept {
        if (this != &other) {
            release();
            data_ = inline_.data();
            capacity_ = inline_size;
            size_ = 0;
            steal(other);
        }
        return *this;
    }
    ~String() { release(); }

    // `text` may lie in this string.
    [[gnu::always_inline]] String& assign(std::string_view text) {
        if (text.size() > capacity_) grow(text.size());
        copy_bytes(data_, text.data(), text.size());
        size_ = static_cast<std::uint32_t>(text.size());
        return *this;
    }
    String& assign(const char* text, std::size_t size) {
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

    friend bool operator==(const String& a, const String& b) noexcept {
        return a.view() == b.view();
    }
    friend auto operator<=>(const String& a, const String& b) noexcept {
        return a.view() <=> b.view();
    }
    friend bool operator==(const String& a, std::string_view b) noexcept { return a.view() == b; }
    friend bool operator==(const String& a, const std::string& b) noexcept { return a.view() == b; }
    friend bool operator==(const String& a, const char* b) noexcept { return a.view() == b; }

  private:
    static constexpr std::uint32_t inline_size = 16;
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();

    void release() noexcept {
        if (data_ != inline_.data()) Recycled::give(data_, capacity_);
    }
    [[gnu::noinline]] void grow(std::size_t size) {  // what it held is lost
        if (size > most) throw std::length_error("a string beyond 4 GiB");
        auto* const made = static_cast<char*>(Recycled::take(size));
        release();
        data_ = made;
        capacity_ = static_cast<std::uint32_t>(std::min(size, most));
    }
    void steal(String& other) noexcept {
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
template <class T>
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
    T& emplace_back() {
        T& element = overwrite_back();
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
    std::vector<T, Allocator<T>> storage_;
    std::size_t size_ = 0;
};

// A map as its entries in the order of keys.
template <class K, class V>
class Map {
  public:
    struct Entry {
        K key{};
        V value{};
        bool operator==(const Entry&) const = default;
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

    bool operator==(const Map&) const = default;

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

    Sequence<Entry> entries_;
};

// --- bytes ----------------------------------------------------------------------------------

template <class T>
T swapped(T value) noexcept {
    auto bytes = std::bit_cast<std::array<Byte, sizeof(T)>>(value);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

template <class T, bool swap = false>
T load(const Byte* p) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return *p != 0;
    } else {
        T value;
        std::memcpy(&value, p, sizeof value);
        return swap && sizeof(T) > 1 ? swapped(value) : value;
    }
}

template <class T>
Byte* store(Byte* p, T value) noexcept {
    std::memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

// Fixed-width elements from the wire; bool elements become 0 or 1.
template <class T, bool swap>
void load_array(T* to, const Byte* p, std::size_t count) noexcept {
    if constexpr (std::is_same_v<T, bool> || (swap && sizeof(T) > 1)) {
        for (std::size_t i = 0; i < count; ++i) to[i] = load<T, swap>(p + i * sizeof(T));
    } else if (count != 0) {
        std::memcpy(to, p, count * sizeof(T));
    }
}

inline Byte* store_bytes(Byte* p, const void* from, std::size_t size) noexcept {
    copy_bytes(p, from, size);
    return p + size;
}

constexpr std::size_t aligned(std::size_t position, std::size_t alignment) noexcept {
    return (position + alignment - 1) & ~(alignment - 1);
}

inline bool is_utf8(std::string_view text) noexcept {
    const auto* p = reinterpret_cast<const Byte*>(text.data());
    const Byte* const end = p + text.size();
    while (p != end) {
        while (end - p >= 8 && (load<std::uint64_t>(p) & 0x8080808080808080U) == 0) p += 8;
        if (p == end) break;
        if (*p < 0x80) {
            ++p;
            continue;
        }
        const int more = *p >= 0xF0 ? 3 : *p >= 0xE0 ? 2 : 1;
        if (*p < 0xC2 || *p > 0xF4 || end - p <= more) return false;
        const Byte second = p[1];
        const bool fits = (*p != 0xE0 || second >= 0xA0) && (*p != 0xED || second < 0xA0) &&
                          (*p != 0xF0 || second >= 0x90) && (*p != 0xF4 || second < 0x90);
        for (int i = 1; i <= more; ++i) {
            if ((p[i] & 0xC0U) != 0x80) return false;
        }
        if (!fits) return false;
        p += more + 1;
    }
    return true;
}

// What was checked before is read again without limits.
constexpr Limits no_limits{std::numeric_limits<int>::max(),
                           std::numeric_limits<std::size_t>::max()};

// What a decoder carries along. A read function returns the next position, nullptr on error.
struct Reading {
    const Byte* begin;
    const Byte* origin;  // of alignment
    int depth;
    std::size_t memory;
    Error error{};

    Reading(const Byte* first, std::size_t header, std::size_t size, const Limits& limits) noexcept
        : begin(first),
          origin(first + header),
          depth(limits.depth),
          memory(limits.memory + size * Limits::free_memory) {}

    [[gnu::cold, gnu::noinline]] const Byte* fail(Reason reason, const Byte* at) noexcept {
        error = {reason, static_cast<std::size_t>(at - begin)};
        return nullptr;
    }
    bool take(std::size_t bytes) noexcept {
        if (bytes > memory) return false;
        memory -= bytes;
        return true;
    }
};

inline std::size_t left(const Byte* p, const Byte* end) noexcept {
    return static_cast<std::size_t>(end - p);
}

// --- views ----------------------------------------------------------------------------------

// Fixed-width elements in the buffer, aligned or not.
template <class T>
class ArrayView {
  public:
    ArrayView() = default;
    ArrayView(const Byte* data, std::size_t size) noexcept : data_(data), size_(size) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T operator[](std::size_t i) const noexcept { return load<T>(data_ + i * sizeof(T)); }
    std::span<const std::byte> bytes() const noexcept {
        return {reinterpret_cast<const std::byte*>(data_), size_ * sizeof(T)};
    }

  private:
    const Byte* data_ = nullptr;
    std::size_t size_ = 0;
};

// A forward range over what `Reader::next(position)` finds in bytes that were checked before.
template <class Reader>
class RangeView {
  public:
    using Value = typename Reader::Value;

    class iterator {
      public:
        using value_type = Value;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using pointer = const Value*;
        using reference = const Value&;

        iterator() = default;
        iterator(const Reader& reader, std::size_t remaining)
            : reader_(reader), remaining_(remaining) {
            read();
        }
        const Value& operator*() const noexcept { return value_; }
        const Value* operator->() const noexcept { return &value_; }
        iterator& operator++() {
            --remaining_;
            read();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(const iterator& other) const noexcept {
            return remaining_ == other.remaining_;
        }

      private:
        void read() {
            if (remaining_ != 0) reader_.next(value_);
        }

        Reader reader_{};
        std::size_t remaining_ = 0;
        Value value_{};
    };

    RangeView() = default;
    RangeView(Reader reader, std::size_t size) : reader_(reader), size_(size) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    iterator begin() const { return iterator(reader_, size_); }
    iterator end() const { return iterator(); }

  private:
    Reader reader_{};
    std::size_t size_ = 0;
};

}  // namespace wirecost
