// SPDX-License-Identifier: Apache-2.0
// What a walk over columns finds of a field, and columns that come in pieces put side by side.
#pragma once

#include <vector>

#include "wirecost/columns/index.hpp"
#include "wirecost/columns/parts.hpp"

namespace wirecost::columns {

// Before it is known what may be there. Of two numbers the first is of the column, the second of
// its offsets.
struct Found {
    std::uint32_t parts = 0;  // a bit for each Part
    std::uint32_t pieces[2]{};
    std::size_t sizes[2]{};     // of all their pieces
    std::size_t any_size[2]{};  // lengths of the pieces, or-ed
    std::size_t position = 0;
    std::size_t presence_size = 0;
    std::size_t joined[2]{};  // where the next piece goes

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
                take(found[static_cast<std::size_t>(node)], part, content, size);
            }
        }
    }

  private:
    void take(Found& of, Part part, const Byte* content, std::size_t size) {
        const std::size_t which = part == Part::offsets ? 1 : 0;
        if (of.pieces[which] < 2 || size == 0) return;
        std::memcpy(to + of.joined[which], content, size);
        of.joined[which] += size;
    }
};

}  // namespace wirecost::columns
