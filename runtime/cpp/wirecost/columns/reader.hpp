// SPDX-License-Identifier: Apache-2.0
// Reads a columns field: one walk over its fields, which finds where every column lies and checks
// all that docs/formats/columns.md asks of it. Columns are not touched, but offsets are.
#pragma once

#include <cmath>
#include <vector>

#include "wirecost/columns/buffer.hpp"
#include "wirecost/columns/index.hpp"
#include "wirecost/columns/parts.hpp"
#include "wirecost/columns/pieces.hpp"
#include "wirecost/columns/slot.hpp"

namespace wirecost::columns {

// What a hostile columns field may claim.
struct Limits {
    std::uint32_t max_count = 1U << 26U;  // of elements, and of a repeated field's values in all
};

// Keeps its memory: read again, it allocates nothing for columns fields that are alike.
class Reader {
  public:
    // `in`, the content of a columns field without tag and length, must outlive what is read from
    // it; so must the schema's nodes. After an error there are no columns.
    Error read(std::span<const std::byte> in, const Schema& schema, const Limits& limits = {}) {
        schema_ = schema;
        index_.bind(schema);
        found_.assign(schema.nodes.size(), Found{});
        slots_.assign(schema.nodes.size(), Slot{});
        limits_ = limits;
        begin_ = reinterpret_cast<const Byte*>(in.data());
        size_ = in.size();
        error_ = {};
        count_ = 0;
        counted_ = false;
        split_ = 0;
        joined_.clear();
        if (!walk(-1, begin_, begin_ + in.size())) return failed();
        if (!counted_) return fail(Reason::no_count, in.size()), failed();
        if (split_ != 0) join();
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (!check(i)) return failed();
        }
        return {};
    }

    std::uint32_t count() const noexcept { return count_; }
    std::size_t size() const noexcept { return size_; }  // bytes of what was read
    const Schema& schema() const noexcept { return schema_; }
    const Slot& operator[](std::size_t node) const noexcept { return slots_[node]; }
    std::span<const Slot> slots() const noexcept { return slots_; }

    // Whether element `i` of the list that the node is a field of has it.
    bool has(std::size_t node, std::size_t i) const noexcept {
        const Slot& slot = slots_[node];
        if (!slot.present || !slot.has_bit(i)) return false;
        for (std::int32_t at = slot.around; at >= 0;) {
            const Slot& message = slots_[static_cast<std::size_t>(at)];
            if (!message.has_bit(i)) return false;
            at = message.around;
        }
        return true;
    }

  private:
    bool fail(Reason reason, std::size_t position, std::string_view column = {}) noexcept {
        error_ = {reason, position, column};
        return false;
    }
    bool refuse(std::size_t node, Reason reason) noexcept {
        return fail(reason, found_[node].position, schema_.nodes[node].name);
    }
    Error failed() noexcept {
        slots_.assign(slots_.size(), Slot{});
        count_ = 0;
        return error_;
    }

    // Over the fields of a message.
    bool walk(std::int32_t message, const Byte* p, const Byte* end) {
        Reading reading(begin_, 0, 0, no_limits);
        std::uint32_t hint = 0;
        while (p != end) {
            const Byte* const start = p;
            const auto position = static_cast<std::size_t>(start - begin_);
            std::uint32_t tag = 0;
            p = protobuf::read_tag(p, end, reading, tag);
            if (p == nullptr) return fail(reason_of(reading.error.reason), position);
            const std::uint32_t number = tag >> 3U;
            const auto part = static_cast<Part>(number / band);
            const Byte* const behind = protobuf::skip(p, end, reading, tag);
            if (behind == nullptr)
                return fail(reason_of(reading.error.reason), reading.error.position);
            const Byte* const content = p;
            p = behind;
            if (part == Part::own) {
                if (!take_own(message, number, tag & 7U, content, end, position)) return false;
                continue;
            }
            if (part == Part::columns) continue;
            const std::uint32_t before = hint;
            const std::int32_t node = index_.find(message, number % band, hint);
            if (node < 0) continue;
            if (part != Part::column) hint = before;  // its column still comes
            if (!take(static_cast<std::size_t>(node), part, tag & 7U, content, behind, position))
                return false;
        }
        return true;
    }

    bool take_own(std::int32_t message, std::uint32_t number, std::uint32_t wire_type,
                  const Byte* p, const Byte* end, std::size_t position) {
        if (number == padding_number) {
            return wire_type == protobuf::len || fail(Reason::wrong_wire_type, position);
        }
        if (number != count_number) return true;
        if (message >= 0) return fail(Reason::inner_count, position);
        if (wire_type != protobuf::varint) return fail(Reason::wrong_wire_type, position);
        if (counted_) return fail(Reason::given_twice, position);
        std::uint64_t value = 0;
        protobuf::read_varint(p, end, value);
        if (value > largest_count || value > limits_.max_count)
            return fail(Reason::too_many, position);
        count_ = static_cast<std::uint32_t>(value);
        counted_ = true;
        return true;
    }

    // One field: `p` to `behind` is what stands behind its tag, lengths included.
    bool take(std::size_t node, Part part, std::uint32_t wire_type, const Byte* p,
              const Byte* behind, std::size_t position) {
        const Node& field = schema_.nodes[node];
        Found& found = found_[node];
        Slot& slot = slots_[node];
        found.position = position;
        if (!may_have(field, part)) return refuse(node, Reason::not_for_this_type);
        if (wire_type != wire_type_of(field, part)) return refuse(node, Reason::wrong_wire_type);
        std::uint64_t size = 0;
        if (wire_type == protobuf::len) p = protobuf::read_varint(p, behind, size);
        if (part == Part::column && field.type == Type::message) {
            if (!found.once(part)) return refuse(node, Reason::given_twice);
            return walk(static_cast<std::int32_t>(node), p, behind);
        }
        if (in_pieces(field, part)) {
            Pieces& pieces = found.pieces(part);
            found.parts |= 1U << static_cast<unsigned>(part);
            if (++pieces.count == 2) ++split_;
            pieces.size += size;
            pieces.any_size |= size;
            (part == Part::offsets ? slot.offsets : slot.values) = p;
            return true;
        }
        if (!found.once(part)) return refuse(node, Reason::given_twice);
        switch (part) {
            case Part::column:
                slot.values = p;
                found.column.size = found.column.any_size = size;
                found.column.count = 1;
                break;
            case Part::presence:
                slot.presence = p;
                found.presence_size = size;
                break;
            case Part::scale:
                slot.scale = load<double>(p);
                break;
            case Part::base:
                slot.base = load<double>(p);
                break;
            default:
                if (field.type == Type::text) {
                    slot.values = p;
                    slot.size = size;
                }
                return field.type == Type::text || take_constant(node, p, behind);
        }
        return true;
    }

    // A scalar's constant as it lies in memory; those of 8 and 16 bits come in 32.
    bool take_constant(std::size_t node, const Byte* p, const Byte* behind) {
        Slot& slot = slots_[node];
        const Type type = schema_.nodes[node].type;
        const std::uint32_t width = width_of(type);
        if (type == Type::boolean) {
            std::uint64_t value = 0;
            protobuf::read_varint(p, behind, value);
            slot.constant = value != 0 ? 1 : 0;
            return true;
        }
        if (width == 8) {
            slot.constant = load<std::uint64_t>(p);
            return true;
        }
        slot.constant = load<std::uint32_t>(p);
        if (width == 4) return true;
        const std::int64_t value = is_signed(type) ? std::int64_t{load<std::int32_t>(p)}
                                                   : std::int64_t{load<std::uint32_t>(p)};
        const std::int64_t half = std::int64_t{1} << (8 * width - 1);
        const std::int64_t least = is_signed(type) ? -half : 0;
        if (value < least || value >= least + 2 * half) return refuse(node, Reason::out_of_range);
        slot.constant &= (1ULL << (8 * width)) - 1;
        return true;
    }

    // Puts pieces of columns side by side in memory of its own, each column on a multiple of 64.
    void join() {
        std::size_t total = 0;
        for (Found& found : found_) {
            for (Pieces* const pieces : {&found.column, &found.offsets}) {
                if (pieces->count < 2) continue;
                pieces->joined = total;
                total += aligned(pieces->size, alignment);
            }
        }
        joined_.resize(total);
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            const Found& found = found_[i];
            if (found.column.count > 1) slots_[i].values = joined_.data() + found.column.joined;
            if (found.offsets.count > 1) slots_[i].offsets = joined_.data() + found.offsets.joined;
        }
        PieceCopier{schema_, index_, found_, joined_.data()}.copy(-1, begin_, begin_ + size_);
    }

    bool check(std::size_t node) {
        const Node& field = schema_.nodes[node];
        const Found& found = found_[node];
        Slot& slot = slots_[node];
        slot.elements = count_;
        if (field.parent >= 0) {
            const auto parent = static_cast<std::size_t>(field.parent);
            const Slot& outer = slots_[parent];
            slot.elements = schema_.nodes[parent].repeated ? outer.stored : outer.elements;
            if (!schema_.nodes[parent].repeated) {
                slot.around = outer.presence != nullptr ? field.parent : outer.around;
            }
        }
        slot.stored = field.repeated ? 0 : slot.elements;
        if (found.parts == 0) return true;
        slot.present = true;
        if (found.given(Part::presence) &&
            found.presence_size != (std::size_t{slot.elements} + 7) / 8)
            return refuse(node, Reason::bad_presence);
        if ((field.repeated || field.type == Type::text) && !check_offsets(node)) return false;
        if (field.type == Type::message) {
            const bool needed = !field.repeated || slot.stored != 0;
            if (needed && !found.given(Part::column)) return refuse(node, Reason::no_column);
            return true;
        }
        return field.type == Type::text ? check_text(node) : check_scalar(node);
    }

    bool check_offsets(std::size_t node) {
        const Node& field = schema_.nodes[node];
        const Found& found = found_[node];
        Slot& slot = slots_[node];
        if (field.type == Type::text && found.given(Part::constant)) return true;
        const std::size_t size = found.offsets.size;
        if (size != 4 * (std::size_t{slot.elements} + 1)) return refuse(node, Reason::bad_offsets);
        bool falls = slot.offset(0) != 0 || found.offsets.any_size % 4 != 0;
        for (std::size_t i = 0; i < slot.elements; ++i)
            falls |= slot.offset(i + 1) < slot.offset(i);
        if (falls) return refuse(node, Reason::bad_offsets);
        if (!field.repeated) return true;
        slot.stored = slot.offset(slot.elements);
        if (slot.stored > limits_.max_count || slot.stored > largest_count)
            return refuse(node, Reason::too_many);
        return true;
    }

    bool check_text(std::size_t node) {
        const Found& found = found_[node];
        Slot& slot = slots_[node];
        if (found.given(Part::constant)) {
            if (found.given(Part::column) || found.given(Part::offsets))
                return refuse(node, Reason::column_and_constant);
            slot.form = Form::constant;
            return true;
        }
        slot.size = found.column.size;
        if (slot.size != slot.offset(slot.elements)) return refuse(node, Reason::bad_width);
        slot.form = Form::plain;
        return true;
    }

    bool check_scalar(std::size_t node) {
        const Node& field = schema_.nodes[node];
        const Found& found = found_[node];
        Slot& slot = slots_[node];
        const bool scaled = found.given(Part::scale);
        if (found.given(Part::constant)) {
            if (found.given(Part::column) || scaled || found.given(Part::base) ||
                (!field.repeated && found.given(Part::offsets)))
                return refuse(node, Reason::column_and_constant);
            slot.form = Form::constant;
            return true;
        }
        if (scaled != found.given(Part::base)) return refuse(node, Reason::bad_scale);
        slot.size = found.column.size;
        std::size_t values = slot.stored;
        if (!found.given(Part::column) && (!field.repeated || values != 0))
            return refuse(node, Reason::no_column);
        if (!field.repeated && found.given(Part::offsets)) {
            if (!check_runs(node)) return false;
            values = slot.runs;
        }
        const Type type = field.type;
        const std::uint32_t own = width_of(type);
        if (values == 0 ? slot.size != 0 : slot.size % values != 0)
            return refuse(node, Reason::bad_width);
        const std::size_t width = values != 0 ? slot.size / values : scaled ? 1 : own;
        slot.form = scaled ? Form::scaled : Form::plain;
        bool allowed = width == own || (type == Type::enumeration && width == 1);
        if (scaled) {
            if (found.column.count > 1) return refuse(node, Reason::given_twice);
            allowed = width >= 1 && width <= 4;
        } else if (type == Type::float64 && width == 4) {
            slot.form = Form::narrow;
            allowed = true;
        }
        if (!allowed) return refuse(node, Reason::bad_width);
        slot.width = static_cast<std::uint8_t>(width);
        if (!scaled && found.column.any_size % width != 0) return refuse(node, Reason::bad_width);
        return !scaled || check_scaled(node);
    }

    bool check_runs(std::size_t node) {
        Slot& slot = slots_[node];
        const Pieces& offsets = found_[node].offsets;
        const std::size_t size = offsets.size;
        if (size % 4 != 0 || size == 0 || size / 4 > std::size_t{slot.elements} + 1)
            return refuse(node, Reason::bad_runs);
        slot.runs = static_cast<std::uint32_t>(size / 4 - 1);
        slot.in_runs = true;
        bool wrong = slot.offset(0) != 0 || slot.offset(slot.runs) != slot.elements ||
                     offsets.any_size % 4 != 0;
        for (std::size_t i = 0; i < slot.runs; ++i) wrong |= slot.offset(i + 1) <= slot.offset(i);
        return !wrong || refuse(node, Reason::bad_runs);
    }

    bool check_scaled(std::size_t node) {
        const Slot& slot = slots_[node];
        const Type type = schema_.nodes[node].type;
        if (!std::isfinite(slot.scale) || !std::isfinite(slot.base))
            return refuse(node, Reason::bad_scale);
        if (is_real(type)) return true;
        if (slot.scale != 1.0 || slot.base != std::trunc(slot.base) ||
            std::fabs(slot.base) > 0x1p53)
            return refuse(node, Reason::bad_scale);
        return true;
    }

    Schema schema_{};
    Index index_;
    std::vector<Found> found_;
    std::vector<Slot> slots_;
    Buffer joined_;
    Limits limits_{};
    Error error_{};
    const Byte* begin_ = nullptr;
    std::size_t size_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t split_ = 0;  // columns and offsets that come in pieces
    bool counted_ = false;
};

}  // namespace wirecost::columns
