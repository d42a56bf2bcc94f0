// SPDX-License-Identifier: Apache-2.0
// What a walk over columns finds, and parts that come in pieces put side by side.
#pragma once

#include <vector>

#include "wirecost/columns/index.hpp"
#include "wirecost/columns/parts.hpp"

namespace wirecost::columns {

// A part that may come in several pieces.
struct Pieces {
    std::uint32_t count = 0;
    std::size_t size = 0;      // of all
    std::size_t any_size = 0;  // their sizes, or-ed: a bit of it is set if it is set in any
    std::size_t joined = 0;    // where the next one goes
};

// What the walk finds of a field, not yet checked.
struct Found {
    std::uint32_t parts = 0;  // a bit for each Part
    Pieces column, offsets;
    std::size_t position = 0;
    std::size_t presence_size = 0;

    Pieces& pieces(Part part) noexcept { return part == Part::offsets ? offsets : column; }
    bool given(Part part) const noexcept {
        return (parts >> static_cast<unsigned>(part) & 1U) != 0;
    }
    // Marks the part; false if it was given before.
    bool once(Part part) noexcept {
        const bool first = !given(part);
        parts |= 1U << static_cast<unsigned>(part);
        return first;
    }
};

// A second walk over what the reader has checked. It copies the pieces to where `found` says.
struct PieceCopier {
    const Schema& schema;
    const Index& index;
    std::vector<Found>& found;
    Byte* to;

    void copy(std::int32_t message, const Byte* p, const Byte* end) {
        Reading unused(p, 0, 0, no_limits);
        std::uint32_t hint = 0;
        while (p != end) {
            std::uint32_t tag = 0;
            const Byte* content = protobuf::read_tag(p, end, unused, tag);
            p = protobuf::skip(content, end, unused, tag);
            const auto part = static_cast<Part>((tag >> 3U) / band);
            if (part == Part::own || part == Part::columns || (tag & 7U) != protobuf::len) continue;
            const std::uint32_t before = hint;
            const std::int32_t node = index.find(message, (tag >> 3U) % band, hint);
            if (node < 0) continue;
            if (part != Part::column) hint = before;  // its column still comes
            std::uint64_t size = 0;
            content = protobuf::read_varint(content, p, size);
            const Node& field = schema.nodes[static_cast<std::size_t>(node)];
            if (part == Part::column && field.type == Type::message) {
                copy(node, content, p);
            } else if (in_pieces(field, part)) {
                append(found[static_cast<std::size_t>(node)].pieces(part), content, size);
            }
        }
    }

  private:
    void append(Pieces& pieces, const Byte* content, std::size_t size) {
        if (pieces.count < 2 || size == 0) return;
        std::memcpy(to + pieces.joined, content, size);
        pieces.joined += size;
    }
};

}  // namespace wirecost::columns
