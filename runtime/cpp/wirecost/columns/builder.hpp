// SPDX-License-Identifier: Apache-2.0
// Writes a columns field whose values are filled in where they will lie: announce the columns,
// place the frame, then store through spans.
#pragma once

#include "wirecost/columns/column.hpp"
#include "wirecost/columns/reduce.hpp"

namespace wirecost::columns {

enum class Presence : std::uint8_t {
    all,   // every element that has the message around it
    some,  // a bit for each element, to be set in `presence(token)`
};

// Of `Columns`, a generated struct with a schema and tokens. Keeps its memory: used again for alike
// content, it allocates nothing. Announce a repeated message before what is in it; single messages
// around a field are announced with it.
template <class Columns>
class Builder {
  public:
    // Forgets what was announced; `count`: elements of the list, at most 2^31 - 1.
    void begin(std::uint32_t count) {
        if (layout_.schema().nodes.empty()) {
            layout_.begin(Columns::schema, count);
        } else {
            layout_.begin(count);
        }
        totals_.assign(nodes().size(), 0);
        encodings_.resize(nodes().size());
        present_.assign(nodes().size(), nullptr);
        reduced_.clear();
    }

    // A plain column, to be filled in `values(token)`. Enums take four bytes here.
    template <class T>
    void announce(Scalar<T> token, Presence presence = Presence::all) {
        if (Placed* const placed = announced(token.node, presence)) {
            placed->column = true;
            placed->size = sizeof(T) * std::size_t{placed->elements};
        }
    }
    // A column of these values, one for each element of its list, in the form of that reduction.
    // Bit i % 8 of byte i / 8 of `present` says whether element i has the field; empty: all have
    // it. Values, which must stay until `place` returns, are 0 where there is none.
    template <class T>
    void announce(Scalar<T> token, std::span<const typename Values<T>::Stored> values,
                  Reduction reduction, std::span<const Byte> present = {}) {
        const std::size_t having = set_bits(present, values.size());
        const bool all = present.empty() || having == values.size();
        Placed* const placed = announced(token.node, all ? Presence::all : Presence::some);
        if (placed == nullptr) return;
        const Node& node = nodes()[token.node];
        const bool nothing =
            present.empty() ? may_be_left_out(node) && all_zero(values) : having == 0;
        if (nothing) {
            *placed = Placed{};
            return;
        }
        const Byte* const bits = all ? nullptr : present.data();
        encodings_[token.node].choose(node, reduction, values.data(), values.size(), bits, *placed);
        present_[token.node] = bits;
        reduced_.push_back(token.node);
    }
    // Text of `total` bytes in all, to be filled in `offsets(token)` and `values(token)`.
    void announce(Text token, std::size_t total, Presence presence = Presence::all) {
        if (Placed* const placed = announced(token.node, presence)) {
            placed->offsets = true;
            placed->offset_count = placed->elements + 1;
            placed->column = total != 0;
            placed->size = total;
        }
    }
    // `total` values of all elements, to be filled in `offsets(token)` and `values(token)`.
    template <class T>
    void announce(Repeated<T> token, std::uint32_t total) {
        if (Placed* const placed = repeated(token.node, total)) {
            placed->column = true;
            placed->size = sizeof(T) * std::size_t{total};
        }
    }
    // Texts of `bytes` in all; the offsets and values of the texts themselves are those of
    // `texts(token)`.
    void announce(RepeatedText token, std::uint32_t total, std::size_t bytes) {
        if (repeated(token.node, total) != nullptr && bytes != 0) announce(texts(token), bytes);
    }
    void announce(const RepeatedMessage& token, std::uint32_t total) {
        repeated(token.node, total);
    }
    // A single message: only needed if some elements lack it, or if nothing in it is announced.
    void announce(const Message& token, Presence presence = Presence::all) {
        announced(token.node, presence);
    }
    static Text texts(RepeatedText token) noexcept { return {token.node + 1}; }

    // Appends the content of the columns field to the buffer, which may hold what stands before it:
    // payloads are aligned from the buffer's begin. Reduced columns are then complete, presence is
    // zero, and the spans below are there until the buffer grows.
    Error place(Buffer& out) {
        if (const Error error = layout_.place(out)) return error;
        buffer_ = &out;
        for (std::size_t i = 0; i < nodes().size(); ++i) {
            const Placed& placed = layout_[i];
            if (placed.presence) std::memset(out.data() + placed.presence_at, 0, bits_size(placed));
        }
        for (const std::uint32_t node : reduced_) {
            const Placed& placed = layout_[node];
            encodings_[node].fill(placed, out.data());
            if (placed.presence)
                std::memcpy(out.data() + placed.presence_at, present_[node], bits_size(placed));
        }
        return {};
    }

    // The same as a whole field: appends the columns of a list, `rows` its field number, to the
    // bytes of the message that it stands in.
    Error append_to(Buffer& message, std::uint32_t rows) {
        const std::size_t before = message.size();
        const std::size_t opened = open_message(message, number_of(Part::columns, rows));
        if (const Error error = place(message)) {
            message.resize(before);
            return error;
        }
        close_message(message, opened);
        return {};
    }

    // Where values, presence and offsets go; empty for what was not announced, or is not needed
    // because the list has no elements.
    template <class T>
    std::span<typename Values<T>::Stored> values(Scalar<T> token) const noexcept {
        return column<typename Values<T>::Stored>(token.node);
    }
    template <class T>
    std::span<typename Values<T>::Stored> values(Repeated<T> token) const noexcept {
        return column<typename Values<T>::Stored>(token.node);
    }
    std::span<std::byte> values(Text token) const noexcept { return column<std::byte>(token.node); }
    // Bits of elements that have the field, least significant first.
    template <class Token>
    std::span<Byte> presence(const Token& token) const noexcept {
        const Placed& placed = layout_[token.node];
        if (!placed.presence) return {};
        return {buffer_->data() + placed.presence_at, bits_size(placed)};
    }
    // One more than elements: the first is 0, the last what was announced.
    template <class Token>
    std::span<std::uint32_t> offsets(const Token& token) const noexcept {
        const Placed& placed = layout_[token.node];
        if (!placed.offsets) return {};
        return {reinterpret_cast<std::uint32_t*>(buffer_->data() + placed.offsets_at),
                placed.offset_count};
    }

  private:
    static std::span<const Node> nodes() noexcept { return Columns::schema.nodes; }
    static std::size_t bits_size(const Placed& placed) noexcept {
        return (std::size_t{placed.elements} + 7) / 8;
    }
    static bool may_be_left_out(const Node& node) noexcept {
        return !node.optional && !node.required && !node.repeated;
    }
    static std::size_t set_bits(std::span<const Byte> bits, std::size_t count) noexcept {
        std::size_t set = 0;
        for (std::size_t i = 0; i < count && i / 8 < bits.size(); ++i) {
            set += bits[i / 8] >> (i % 8) & 1U;
        }
        return set;
    }
    template <class T>
    static bool all_zero(std::span<const T> values) noexcept {
        const auto bytes = std::as_bytes(values);
        return std::all_of(bytes.begin(), bytes.end(),
                           [](std::byte b) { return b == std::byte{}; });
    }

    std::uint32_t elements_of(std::uint32_t node) const noexcept {
        for (std::int32_t at = nodes()[node].parent; at >= 0;) {
            const auto message = static_cast<std::size_t>(at);
            if (nodes()[message].repeated) return totals_[message];
            at = nodes()[message].parent;
        }
        return layout_.count();
    }
    // nullptr if there are no elements that could have it.
    Placed* announced(std::uint32_t node, Presence presence) {
        const std::uint32_t elements = elements_of(node);
        if (elements == 0) return nullptr;
        for (std::int32_t at = nodes()[node].parent; at >= 0;) {
            const auto message = static_cast<std::size_t>(at);
            layout_[message].written = true;
            if (nodes()[message].repeated) break;
            layout_[message].elements = elements;
            at = nodes()[message].parent;
        }
        Placed& placed = layout_[node];
        placed.written = true;
        placed.elements = elements;
        placed.presence = presence == Presence::some && nodes()[node].optional;
        return &placed;
    }
    Placed* repeated(std::uint32_t node, std::uint32_t total) {
        totals_[node] = total;
        if (total == 0) return nullptr;
        Placed* const placed = announced(node, Presence::all);
        if (placed == nullptr) return nullptr;
        placed->offsets = true;
        placed->offset_count = placed->elements + 1;
        return placed;
    }
    template <class T>
    std::span<T> column(std::uint32_t node) const noexcept {
        const Placed& placed = layout_[node];
        if (!placed.column) return {};
        return {reinterpret_cast<T*>(buffer_->data() + placed.column_at), placed.size / sizeof(T)};
    }

    Layout layout_;
    std::vector<std::uint32_t> totals_;  // of repeated nodes
    std::vector<Encoding> encodings_;
    std::vector<const Byte*> present_;
    std::vector<std::uint32_t> reduced_;
    Buffer* buffer_ = nullptr;
};

}  // namespace wirecost::columns
