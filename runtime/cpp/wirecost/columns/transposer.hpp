// SPDX-License-Identifier: Apache-2.0
// Rows to columns, on bytes.
#pragma once

#include "wirecost/columns/reduce.hpp"
#include "wirecost/columns/row_arrays.hpp"

namespace wirecost::columns {

// Keeps its memory: used again for alike rows, it allocates nothing.
class Transposer {
  public:
    // Forgets all rows. The schema's nodes must stay until `finish`.
    void begin(const Schema& schema, const ConversionLimits& limits = {}) {
        rows_.begin(schema, limits);
    }
    std::uint32_t count() const noexcept { return rows_.count(); }
    std::size_t padding() const noexcept { return rows_.padding(); }  // bytes for absent fields

    // Adds a row: see RowArrays.
    Error row(std::span<const std::byte> in) { return rows_.row(in); }

    // Appends the content of the columns field. `reductions`: one a node, or none at all for exact.
    Error finish(std::span<const Reduction> reductions, Buffer& out) {
        if (rows_.error()) return rows_.error();
        layout_.begin(rows_.schema(), rows_.count());
        if (encodings_.size() < rows_.schema().nodes.size())
            encodings_.resize(rows_.schema().nodes.size());
        for (std::uint32_t i = 0; i < rows_.schema().nodes.size(); ++i) {
            const Reduction reduction = i < reductions.size() ? reductions[i] : Reduction{};
            if (!settle(i, reduction)) return rows_.error();
        }
        if (const Error error = layout_.place(out)) return error;
        for (std::uint32_t i = 0; i < rows_.schema().nodes.size(); ++i) fill(i, out.data());
        return {};
    }

  private:
    // Elements of the list a node belongs to, and how many of them have the message around it.
    struct Context {
        std::uint32_t elements;
        std::uint32_t having;
        const Byte* bits;  // of those; nullptr: all
    };
    Context context(std::int32_t around) const noexcept {
        if (around < 0) return {rows_.count(), rows_.count(), nullptr};
        const auto node = static_cast<std::size_t>(around);
        const RowArray& array = rows_[node];
        if (rows_.schema().nodes[node].repeated) return {array.stored, array.stored, nullptr};
        const Context outer = context(rows_.schema().nodes[node].parent);
        const bool all = array.present == outer.elements;
        return {outer.elements, array.present, all ? nullptr : array.bits.data()};
    }

    // Decides what is written of a node.
    bool settle(std::uint32_t node, Reduction reduction) {
        const Node& field = rows_.schema().nodes[node];
        RowArray& array = rows_[node];
        Placed& placed = layout_[node];
        const Context outer = context(field.parent);
        if (field.required && array.present != outer.having)
            return rows_.refuse(Reason::missing_required, node);
        const bool any = field.repeated ? array.stored != 0 : array.present != 0;
        if (!any || outer.elements == 0) return true;
        placed.elements = outer.elements;
        if (array.filled != outer.elements && !rows_.pad(node, outer.elements)) return false;
        if (array.gaps) array.bits.append_zeros((outer.elements + 7) / 8 - array.bits.size());
        if (field.repeated || field.type == Type::text) {
            const std::size_t total = field.repeated ? array.stored : array.values.size();
            if (total > std::numeric_limits<std::uint32_t>::max())
                return rows_.refuse(Reason::too_large, node);
            array.starts.push(static_cast<std::uint32_t>(total));
        }
        const bool implicit = !field.optional && !field.required && !field.repeated;
        if (implicit && all_default(field, array.values)) return true;
        placed.written = true;
        placed.presence = field.optional && array.present != outer.having;
        if (field.repeated) {
            placed.offsets = true;
            placed.offset_count = outer.elements + 1;
        }
        if (field.type == Type::text) {
            settle_text(array, reduction, implicit ? outer.bits : bits_of(node, outer), placed);
        } else if (field.type != Type::message) {
            const std::size_t values = field.repeated ? array.stored : outer.elements;
            const Byte* const bits = field.repeated ? nullptr
                                     : implicit     ? outer.bits
                                                    : bits_of(node, outer);
            encodings_[node].choose(field, reduction, array.values.data(), values, bits, placed);
        }
        return true;
    }
    const Byte* bits_of(std::uint32_t node, const Context& outer) const noexcept {
        const RowArray& array = rows_[node];
        return array.present == outer.elements ? nullptr : array.bits.data();
    }
    static bool all_default(const Node& field, const Buffer& values) noexcept {
        const Byte* const p = values.data();
        if (field.type == Type::text) return values.empty();
        return std::all_of(p, p + values.size(), [](Byte byte) { return byte == 0; });
    }

    static void settle_text(const RowArray& array, Reduction reduction, const Byte* bits,
                            Placed& placed) noexcept {
        const Byte* const starts = array.starts.data();
        if (reduction.form == Reduce::automatic) {
            std::string_view first;
            bool found = false;
            bool same = true;
            for (std::size_t i = 0; i < placed.elements && same; ++i) {
                if (bits != nullptr && (bits[i / 8] >> (i % 8) & 1U) == 0) continue;
                const auto begin = load<std::uint32_t>(starts + 4 * i);
                const std::string_view text(
                    reinterpret_cast<const char*>(array.values.data()) + begin,
                    load<std::uint32_t>(starts + 4 * i + 4) - begin);
                same = !found || text == first;
                if (!found) first = text;
                found = true;
            }
            if (same) {
                placed.constant = true;
                placed.text = first.data();
                placed.size = first.size();
                return;
            }
        }
        placed.offsets = true;
        placed.offset_count = placed.elements + 1;
        placed.column = !array.values.empty();
        placed.size = array.values.size();
    }

    void fill(std::uint32_t node, Byte* buffer) const noexcept {
        const Placed& placed = layout_[node];
        const RowArray& array = rows_[node];
        const Node& field = rows_.schema().nodes[node];
        if (!placed.written) return;
        if (placed.presence) {
            std::memcpy(buffer + placed.presence_at, array.bits.data(), array.bits.size());
        }
        if (placed.offsets && (field.repeated || field.type == Type::text)) {
            std::memcpy(buffer + placed.offsets_at, array.starts.data(), array.starts.size());
        }
        if (field.type == Type::text) {
            if (placed.column)
                std::memcpy(buffer + placed.column_at, array.values.data(), placed.size);
        } else if (field.type != Type::message) {
            encodings_[node].fill(placed, buffer);
        }
    }

    RowArrays rows_;
    std::vector<Encoding> encodings_;
    Layout layout_;
};

}  // namespace wirecost::columns
