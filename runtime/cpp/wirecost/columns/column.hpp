// SPDX-License-Identifier: Apache-2.0
// One field of all elements, in whatever form it is stored.
#pragma once

#include <string_view>

#include "wirecost/columns/decode.hpp"
#include "wirecost/columns/reader.hpp"

namespace wirecost::columns {

// Tokens: a field of a schema and the type of its values. `Message` and `RepeatedMessage` are bases
// of generated structs with the tokens of the message's fields.
template <class T>
struct Scalar {
    std::uint32_t node;
};
template <class T>
struct Repeated {
    std::uint32_t node;
};
struct Text {
    std::uint32_t node;
};
struct RepeatedText {
    std::uint32_t node;
};
struct Message {
    std::uint32_t node;
};
struct RepeatedMessage {
    std::uint32_t node;
};

// What a repeated field's element owns: indices `begin` up to `end` of its values, or of the
// elements that the tokens below a repeated message count.
struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    std::uint32_t size() const noexcept { return end - begin; }
    bool operator==(const Range&) const = default;
};

// What all columns offer. Indices must be below `size()`.
class AnyColumn {
  public:
    AnyColumn(const Reader& reader, std::uint32_t node) noexcept
        : reader_(&reader), node_(node), slot_(reader[node]) {}

    // Elements of the list that the field belongs to.
    std::size_t size() const noexcept { return slot_.elements; }
    // Whether element `i` has the field. Fields without presence: whether they were written.
    bool has(std::size_t i) const noexcept {
        return slot_.around < 0 ? slot_.present && slot_.has_bit(i) : reader_->has(node_, i);
    }
    bool present() const noexcept { return slot_.present; }
    // Whether every element has the field.
    bool all() const noexcept {
        return slot_.present && slot_.presence == nullptr && slot_.around < 0;
    }
    Form form() const noexcept { return slot_.form; }
    bool in_runs() const noexcept { return slot_.in_runs; }
    const Slot& slot() const noexcept { return slot_; }

  protected:
    const Node& node() const noexcept { return reader_->schema().nodes[node_]; }

    const Reader* reader_;
    std::uint32_t node_;
    Slot slot_;
};

// A single message.
using MessageColumn = AnyColumn;

// A repeated message: which elements of the columns below it belong to which element.
class RangesColumn : public AnyColumn {
  public:
    using AnyColumn::AnyColumn;

    // Elements of all ranges together: the size of the columns below.
    std::size_t total() const noexcept { return slot_.stored; }
    Range operator[](std::size_t i) const noexcept {
        if (!slot_.present) return {};
        return {slot_.offset(i), slot_.offset(i + 1)};
    }
};

// Values of a scalar field, at `size()` places.
template <class T>
class Values {
  public:
    // Of bool and of enums in a buffer of bytes that were not checked: numbers.
    using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

    Values(const Slot& slot, std::size_t size, T otherwise) noexcept
        : slot_(slot), size_(size), default_(otherwise) {}

    std::size_t size() const noexcept { return size_; }
    T operator[](std::size_t i) const noexcept { return value_at(slot_, i, default_); }

    // The values where they lie; empty unless they are plain, of T's width and aligned for T.
    std::span<const Stored> span() const noexcept {
        const bool direct = slot_.form == Form::plain && !slot_.in_runs &&
                            slot_.width == sizeof(T) &&
                            reinterpret_cast<std::uintptr_t>(slot_.values) % alignof(T) == 0;
        if (!direct) return {};
        return {reinterpret_cast<const Stored*>(slot_.values), size_};
    }
    // The same where possible, otherwise decoded into `spare`. What elements without the field have
    // there means nothing.
    std::span<const Stored> span(std::vector<Stored>& spare) const {
        if (const auto direct = span(); !direct.empty()) return direct;
        spare.resize(size_);
        decode<T>(slot_, std::span<Stored>(spare), default_);
        return spare;
    }

  protected:
    Slot slot_;
    std::size_t size_;
    T default_;
};

template <class T>
T default_of(const Node& node) noexcept {
    T value;
    std::memcpy(&value, &node.default_bits, sizeof value);
    return value;
}

// A single scalar field: element `i` has it, or its default.
template <class T>
class Column : public AnyColumn {
  public:
    using Stored = typename Values<T>::Stored;

    Column(const Reader& reader, std::uint32_t node) noexcept
        : AnyColumn(reader, node), default_(default_of<T>(this->node())) {}

    T operator[](std::size_t i) const noexcept {
        return has(i) ? value_at(slot_, i, default_) : default_;
    }
    std::span<const Stored> span() const noexcept { return values().span(); }
    std::span<const Stored> span(std::vector<Stored>& spare) const { return values().span(spare); }

  private:
    Values<T> values() const noexcept { return {slot_, slot_.elements, default_}; }

    T default_;
};

// A repeated scalar field: the values of all elements side by side, and the range of each.
template <class T>
class RepeatedColumn : public RangesColumn {
  public:
    using RangesColumn::RangesColumn;

    Values<T> values() const noexcept { return {slot_, slot_.stored, T{}}; }
};

// A string or bytes.
class TextColumn : public AnyColumn {
  public:
    using AnyColumn::AnyColumn;

    std::string_view operator[](std::size_t i) const noexcept {
        return has(i) ? text(i) : node().default_text;
    }
    std::span<const std::byte> bytes(std::size_t i) const noexcept {
        return std::as_bytes(std::span<const char>((*this)[i]));
    }

  private:
    std::string_view text(std::size_t i) const noexcept {
        const char* const first = reinterpret_cast<const char*>(slot_.values);
        if (slot_.form == Form::constant) return {first, slot_.size};
        const std::uint32_t begin = slot_.offset(i);
        return {first + begin, slot_.offset(i + 1) - begin};
    }
};

// A repeated string or bytes.
class RepeatedTextColumn : public RangesColumn {
  public:
    using RangesColumn::RangesColumn;

    // All texts of all elements.
    TextColumn values() const noexcept { return {*reader_, node_ + 1}; }
};

}  // namespace wirecost::columns
