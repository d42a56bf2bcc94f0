// SPDX-License-Identifier: Apache-2.0
// Puts the frame of a columns field into a buffer: tags, lengths and paddings, with room for every
// payload on a multiple of 64 bytes of the buffer.
#pragma once

#include <vector>

#include "wirecost/columns/buffer.hpp"
#include "wirecost/columns/error.hpp"
#include "wirecost/columns/index.hpp"

namespace wirecost::columns {

// Appends a varint.
inline void put_varint(Buffer& out, std::uint64_t value) {
    Byte* p = out.room(10);
    for (; value >= 0x80; value >>= 7U) *p++ = static_cast<Byte>(value | 0x80U);
    *p++ = static_cast<Byte>(value);
    out.advance(p);
}

inline void put_tag(Buffer& out, std::uint32_t number, std::uint32_t wire_type) {
    put_varint(out, std::uint64_t{number} << 3U | wire_type);
}

// Tag of a message whose length, in five bytes, is written by `close_message` with what this
// returns.
inline std::size_t open_message(Buffer& out, std::uint32_t number) {
    put_tag(out, number, protobuf::len);
    out.resize(out.size() + length_bytes);
    return out.size();
}

inline void close_message(Buffer& out, std::size_t opened) noexcept {
    std::uint64_t size = out.size() - opened;
    Byte* const p = out.data() + opened - length_bytes;
    for (std::size_t i = 0; i < length_bytes; ++i, size >>= 7U) {
        p[i] = static_cast<Byte>((size & 0x7FU) | (i + 1 < length_bytes ? 0x80U : 0U));
    }
}

// What a writer puts for a node, and where its payloads then lie in the buffer.
struct Placed {
    bool written = false;  // a message: its columns; others: anything below
    bool presence = false;
    bool scaled = false;
    bool constant = false;
    bool column = false;  // scalars and texts
    bool offsets = false;
    std::uint32_t offset_count = 0;
    double scale = 0.0;
    double base = 0.0;
    std::uint64_t bits = 0;      // of a scalar constant, sign-extended if the type is signed
    const void* text = nullptr;  // a constant text
    std::size_t size = 0;        // bytes of the column or of the constant text
    std::uint32_t elements = 0;  // of the list it belongs to

    std::size_t presence_at = 0;
    std::size_t offsets_at = 0;
    std::size_t column_at = 0;
};

// Padding so that what comes behind `coming` bytes more starts on a multiple of 64.
inline void pad(Buffer& out, std::size_t coming) {
    constexpr std::size_t smallest = 6;  // tag and length of nothing
    std::size_t missing = (~(out.size() + coming) + 1) % alignment;
    if (missing == 0) return;
    if (missing < smallest) missing += alignment;
    put_tag(out, padding_number, protobuf::len);
    put_varint(out, missing - smallest);
    out.append_zeros(missing - smallest);
}

class Layout {
  public:
    // Begins a columns field of `count` elements; nothing is written for any node yet.
    void begin(const Schema& schema, std::uint32_t count) {
        schema_ = schema;
        index_.bind(schema);
        begin(count);
    }
    // The same, of the same schema.
    void begin(std::uint32_t count) {
        count_ = count;
        placed_.assign(schema_.nodes.size(), Placed{});
    }
    Placed& operator[](std::size_t node) noexcept { return placed_[node]; }
    const Placed& operator[](std::size_t node) const noexcept { return placed_[node]; }
    const Schema& schema() const noexcept { return schema_; }
    std::uint32_t count() const noexcept { return count_; }

    // Appends the frame; payloads hold anything until they are filled. The buffer grows once.
    Error place(Buffer& out) {
        const std::size_t bound = largest();
        if (bound > largest_count) return {Reason::too_large, out.size(), {}};
        out.reserve(out.size() + bound);
        put_tag(out, count_number, protobuf::varint);
        put_varint(out, count_);
        fields(-1, out);
        return {};
    }

  private:
    static constexpr std::size_t head = 2 * (5 + 5) + alignment;  // of a payload and its padding

    // Bytes that no frame of this content exceeds.
    std::size_t largest() const noexcept {
        std::size_t bound = 32;
        for (const Placed& placed : placed_) {
            if (!placed.written) continue;
            bound +=
                4 * head + placed.size + 4 * std::size_t{placed.offset_count} + placed.elements / 8;
        }
        return bound;
    }

    void fields(std::int32_t message, Buffer& out) {
        for (const std::uint32_t node : index_.children(message)) {
            if (placed_[node].written) field(node, out);
        }
    }

    void field(std::uint32_t node, Buffer& out) {
        const Node& field = schema_.nodes[node];
        Placed& placed = placed_[node];
        if (placed.presence) {
            const std::size_t size = (std::size_t{placed.elements} + 7) / 8;
            placed.presence_at = payload(out, Part::presence, field.number, size);
        }
        if (placed.offsets) {
            placed.offsets_at =
                payload(out, Part::offsets, field.number, 4 * std::size_t{placed.offset_count});
        }
        if (placed.scaled) {
            put_tag(out, number_of(Part::scale, field.number), protobuf::i64);
            out.push(placed.scale);
            put_tag(out, number_of(Part::base, field.number), protobuf::i64);
            out.push(placed.base);
        }
        if (placed.constant) constant(field, placed, out);
        if (field.type == Type::message) {
            const std::size_t opened = open_message(out, field.number);
            fields(static_cast<std::int32_t>(node), out);
            close_message(out, opened);
        } else if (placed.column) {
            placed.column_at = payload(out, Part::column, field.number, placed.size);
        }
    }

    static void constant(const Node& field, const Placed& placed, Buffer& out) {
        const std::uint32_t number = number_of(Part::constant, field.number);
        if (field.type == Type::text) {
            put_tag(out, number, protobuf::len);
            put_varint(out, placed.size);
            out.append(placed.text, placed.size);
            return;
        }
        if (field.type == Type::boolean) {
            put_tag(out, number, protobuf::varint);
            put_varint(out, placed.bits);
        } else if (width_of(field.type) == 8) {
            put_tag(out, number, protobuf::i64);
            out.push(placed.bits);
        } else {
            put_tag(out, number, protobuf::i32);
            out.push(static_cast<std::uint32_t>(placed.bits));
        }
    }

    // Tag and length of a payload, padding before them if needed, and room for the payload.
    static std::size_t payload(Buffer& out, Part part, std::uint32_t field, std::size_t size) {
        const std::uint32_t number = number_of(part, field);
        const std::size_t before =
            protobuf::varint_size(std::uint64_t{number} << 3U) + protobuf::varint_size(size);
        pad(out, before);
        put_tag(out, number, protobuf::len);
        put_varint(out, size);
        const std::size_t at = out.size();
        out.resize(at + size);
        return at;
    }

    Schema schema_{};
    Index index_;
    std::vector<Placed> placed_;
    std::uint32_t count_ = 0;
};

}  // namespace wirecost::columns
