// SPDX-License-Identifier: Apache-2.0
// Rows to columns, on bytes: each row, a message in Protobuf's wire format, adds to the arrays of
// the fields it has; then they are written as a twin.
#pragma once

#include "wirecost/columns/reduce.hpp"

namespace wirecost::columns {

// What converting may cost.
struct ConversionLimits {
    // Of rows made from columns, or of what rows make absent fields take in columns.
    std::size_t max_bytes = std::size_t{1} << 30U;
};

// Keeps its memory: used again for alike rows, it allocates nothing.
class Transposer {
  public:
    // Forgets all rows. The schema's nodes must stay until `finish`.
    void begin(const Schema& schema, const ConversionLimits& limits = {}) {
        schema_ = schema;
        index_.bind(schema);
        limits_ = limits;
        const std::size_t size = schema.nodes.size();
        if (states_.size() < size) states_.resize(size);
        for (State& state : states_) state.clear();
        steps_.clear();
        std::int32_t oneofs = 0;
        for (const Node& node : schema.nodes) {
            steps_.push_back(step_of(node));
            oneofs = std::max(oneofs, node.oneof + 1);
        }
        chosen_.assign(static_cast<std::size_t>(oneofs), Chosen{});
        count_ = 0;
        padding_ = 0;
        error_ = {};
    }

    std::uint32_t count() const noexcept { return count_; }

    // Adds a row. After an error, whose position counts from the row's begin, there is no way on
    // but `begin`: Reason::unknown_field and Reason::two_of_oneof say that the rows are well-formed
    // but no columns can hold them.
    Error row(std::span<const std::byte> in) {
        if (count_ == largest_count) return error_ = {Reason::too_large, 0, {}};
        begin_ = reinterpret_cast<const Byte*>(in.data());
        if (message(-1, count_, begin_, begin_ + in.size())) ++count_;
        return error_;
    }

    // Appends the content of the twin. `reductions`: one a node, or none at all for exact.
    Error finish(std::span<const Reduction> reductions, Buffer& out) {
        if (error_) return error_;
        layout_.begin(schema_, count_);
        if (encodings_.size() < schema_.nodes.size()) encodings_.resize(schema_.nodes.size());
        for (std::uint32_t i = 0; i < schema_.nodes.size(); ++i) {
            const Reduction reduction = i < reductions.size() ? reductions[i] : Reduction{};
            if (!settle(i, reduction)) return error_;
        }
        if (const Error error = layout_.place(out)) return error;
        for (std::uint32_t i = 0; i < schema_.nodes.size(); ++i) fill(i, out.data());
        return {};
    }

  private:
    enum class Kind : std::uint8_t { fixed, varint, zigzag, boolean, text, message };

    // How a node's values stand in rows.
    struct Step {
        Kind kind;
        std::uint8_t wire_type;
        std::uint8_t width;
        bool repeated;
        bool wraps;
        std::int32_t oneof;
    };

    // What rows have said of a node.
    struct State {
        Buffer values;             // of a scalar as in memory, of a text its bytes
        Buffer starts;             // of texts and repeated fields: where each element's part begins
        Buffer bits;               // presence, from the first gap on
        std::uint32_t filled = 0;  // elements with a place
        std::uint32_t present = 0;  // those that have it
        std::uint32_t stored = 0;   // values of a repeated field
        bool gaps = false;

        void clear() noexcept {
            values.clear();
            starts.clear();
            bits.clear();
            filled = present = stored = 0;
            gaps = false;
        }
    };

    // The member of a oneof that an element was given.
    struct Chosen {
        std::uint32_t element = 0;
        std::int32_t node = -1;
    };

    static Step step_of(const Node& node) noexcept {
        Step step{Kind::message, protobuf::len, 0, node.repeated, node.wraps, node.oneof};
        if (node.type == Type::message) {
            step.wire_type = node.group ? protobuf::start_group : protobuf::len;
        } else if (node.type == Type::text) {
            step.kind = Kind::text;
        } else {
            step.width = static_cast<std::uint8_t>(width_of(node.type));
            step.kind = node.type == Type::boolean      ? Kind::boolean
                        : node.coding == Coding::fixed  ? Kind::fixed
                        : node.coding == Coding::zigzag ? Kind::zigzag
                                                        : Kind::varint;
            step.wire_type = step.kind != Kind::fixed ? protobuf::varint
                             : step.width == 8        ? protobuf::i64
                                                      : protobuf::i32;
        }
        return step;
    }

    bool fail(Reason reason, const Byte* at, std::string_view column = {}) noexcept {
        error_ = {reason, static_cast<std::size_t>(at - begin_), column};
        return false;
    }
    bool fail(const Reading& reading) noexcept {
        error_ = {reason_of(reading.error.reason), reading.error.position, {}};
        return false;
    }

    // The fields of a message, which belong to that element of its list.
    bool message(std::int32_t around, std::uint32_t element, const Byte* p, const Byte* end) {
        Reading reading(begin_, 0, 0, no_limits);
        std::uint32_t hint = 0;
        while (p != end) {
            const Byte* const start = p;
            std::uint32_t tag = 0;
            p = protobuf::read_tag(p, end, reading, tag);
            if (p == nullptr) return fail(reading);
            const std::int32_t found = index_.find(around, tag >> 3U, hint);
            if (found < 0) return unknown(start, p, end, tag);
            const auto node = static_cast<std::uint32_t>(found);
            const Step& step = steps_[node];
            if (step.oneof >= 0 && !choose(step.oneof, node, element, start)) return false;
            if (step.repeated) {
                --hint;  // the same field again
                p = repeated(node, element, p, end, tag & 7U, start);
            } else if ((tag & 7U) != step.wire_type) {
                return unknown(start, p, end, tag);
            } else {
                p = single(node, element, p, end, tag);
            }
            if (p == nullptr) return false;
        }
        return true;
    }

    // A field that is well-formed but not the schema's, or a broken one.
    bool unknown(const Byte* start, const Byte* p, const Byte* end, std::uint32_t tag) noexcept {
        Reading reading(begin_, 0, 0, no_limits);
        if (protobuf::skip(p, end, reading, tag) == nullptr) return fail(reading);
        return fail(Reason::unknown_field, start);
    }

    bool choose(std::int32_t oneof, std::uint32_t node, std::uint32_t element,
                const Byte* start) noexcept {
        Chosen& chosen = chosen_[static_cast<std::size_t>(oneof)];
        const auto number = static_cast<std::int32_t>(node);
        if (chosen.node >= 0 && chosen.element == element && chosen.node != number)
            return fail(Reason::two_of_oneof, start, schema_.nodes[node].name);
        chosen = {element, number};
        return true;
    }

    const Byte* single(std::uint32_t node, std::uint32_t element, const Byte* p, const Byte* end,
                       std::uint32_t tag) {
        const Step& step = steps_[node];
        State& state = states_[node];
        if (state.filled != element + 1) {
            if (state.filled != element && !pad(node, element, p)) return nullptr;
            if (state.gaps) set_bit(state, element);
            ++state.filled;
            ++state.present;
            if (step.kind == Kind::text) {
                state.starts.push(static_cast<std::uint32_t>(state.values.size()));
            } else if (step.kind != Kind::message) {
                return scalar(step, state, p, end);
            }
        } else if (step.kind == Kind::text) {
            state.values.resize(load<std::uint32_t>(state.starts.end() - 4));
        } else if (step.kind != Kind::message) {
            state.values.resize(state.values.size() - step.width);
            return scalar(step, state, p, end);
        }
        return step.kind == Kind::text ? text(state, p, end) : inner(node, element, p, end, tag);
    }

    const Byte* repeated(std::uint32_t node, std::uint32_t element, const Byte* p, const Byte* end,
                         std::uint32_t wire_type, const Byte* start) {
        const Step& step = steps_[node];
        State& state = states_[node];
        if (state.filled != element + 1) {
            if (state.filled != element && !pad(node, element, p)) return nullptr;
            state.starts.push(state.stored);
            ++state.filled;
        }
        if (state.stored >= largest_count) return fail(Reason::too_large, start), nullptr;
        if (step.kind != Kind::message && wire_type == protobuf::len) return packed(node, p, end);
        if (wire_type != step.wire_type) {
            const std::uint32_t tag = schema_.nodes[node].number << 3U | wire_type;
            return unknown(start, p, end, tag), nullptr;
        }
        const std::uint32_t value = state.stored++;
        if (step.kind != Kind::message) return scalar(step, state, p, end);
        if (step.wraps) return single(node + 1, value, p, end, 0);
        const std::uint32_t tag = schema_.nodes[node].number << 3U | wire_type;
        return inner(node, value, p, end, tag);
    }

    const Byte* inner(std::uint32_t node, std::uint32_t element, const Byte* p, const Byte* end,
                      std::uint32_t tag) {
        Reading reading(begin_, 0, 0, no_limits);
        const Byte* stop = nullptr;
        const Byte* behind = nullptr;
        if ((tag & 7U) == protobuf::start_group) {
            behind = protobuf::skip_group(p, end, reading, tag, protobuf::max_skipped_depth, stop);
        } else {
            std::size_t size = 0;
            p = protobuf::read_length(p, end, reading, size);
            behind = stop = p == nullptr ? nullptr : p + size;
        }
        if (behind == nullptr) return fail(reading), nullptr;
        return message(static_cast<std::int32_t>(node), element, p, stop) ? behind : nullptr;
    }

    const Byte* text(State& state, const Byte* p, const Byte* end) {
        Reading reading(begin_, 0, 0, no_limits);
        std::string_view value;
        p = protobuf::read_text(p, end, reading, value);
        if (p == nullptr) return fail(reading), nullptr;
        state.values.append(value.data(), value.size());
        return p;
    }

    [[gnu::always_inline]] const Byte* scalar(const Step& step, State& state, const Byte* p,
                                              const Byte* end) {
        if (step.kind == Kind::fixed) {
            if (left(p, end) < step.width) return fail(Reason::truncated, p), nullptr;
            if (step.width == 8) {
                state.values.push(load<std::uint64_t>(p));
            } else {
                state.values.push(load<std::uint32_t>(p));
            }
            return p + step.width;
        }
        std::uint64_t raw = 0;
        const Byte* const next = protobuf::read_varint(p, end, raw);
        if (next == nullptr) return fail(Reason::bad_varint, p), nullptr;
        if (step.kind == Kind::zigzag) {
            raw = static_cast<std::uint64_t>(
                protobuf::unzigzag(step.width == 8 ? raw : static_cast<std::uint32_t>(raw)));
        } else if (step.kind == Kind::boolean) {
            raw = raw != 0 ? 1 : 0;
        }
        switch (step.width) {
            case 1:
                state.values.push(static_cast<std::uint8_t>(raw));
                break;
            case 2:
                state.values.push(static_cast<std::uint16_t>(raw));
                break;
            case 4:
                state.values.push(static_cast<std::uint32_t>(raw));
                break;
            default:
                state.values.push(raw);
        }
        return next;
    }

    const Byte* packed(std::uint32_t node, const Byte* p, const Byte* end) {
        const Step& step = steps_[node];
        State& state = states_[node];
        Reading reading(begin_, 0, 0, no_limits);
        std::size_t size = 0;
        p = protobuf::read_length(p, end, reading, size);
        if (p == nullptr) return fail(reading), nullptr;
        const Byte* const stop = p + size;
        if (size > largest_count - state.stored) return fail(Reason::too_large, p), nullptr;
        if (step.kind == Kind::fixed) {
            if (size % step.width != 0) return fail(Reason::bad_length, p), nullptr;
            state.values.append(p, size);
            state.stored += static_cast<std::uint32_t>(size / step.width);
            return stop;
        }
        for (; p != stop; ++state.stored) {
            p = scalar(step, state, p, stop);
            if (p == nullptr) return nullptr;
        }
        return stop;
    }

    static void set_bit(State& state, std::uint32_t element) {
        const std::size_t size = element / 8 + 1;
        if (state.bits.size() < size) state.bits.append_zeros(size - state.bits.size());
        state.bits.data()[element / 8] |= static_cast<Byte>(1U << (element % 8));
    }

    // Places up to that element for elements without the field.
    bool pad(std::uint32_t node, std::uint32_t element, const Byte* at) {
        const Step& step = steps_[node];
        State& state = states_[node];
        const std::size_t missing = element - state.filled;
        const bool has_starts = step.repeated || step.kind == Kind::text;
        padding_ += missing * (has_starts ? 4 : step.width);
        if (padding_ > limits_.max_bytes)
            return fail(Reason::too_large, at, schema_.nodes[node].name);
        if (!step.repeated && !state.gaps) {
            state.gaps = true;
            for (std::uint32_t i = 0; i < state.filled; ++i) set_bit(state, i);
        }
        if (has_starts) {
            const auto next =
                step.repeated ? state.stored : static_cast<std::uint32_t>(state.values.size());
            Byte* p = state.starts.room(4 * missing);
            for (std::size_t i = 0; i < missing; ++i) p = store(p, next);
            state.starts.advance(p);
        } else {
            state.values.append_zeros(missing * step.width);
        }
        state.filled = element;
        return true;
    }

    // Elements of the list a node belongs to, and how many of them have the message around it.
    struct Context {
        std::uint32_t elements;
        std::uint32_t having;
        const Byte* bits;  // of those; nullptr: all
    };
    Context context(std::int32_t around) const noexcept {
        if (around < 0) return {count_, count_, nullptr};
        const auto node = static_cast<std::size_t>(around);
        const State& state = states_[node];
        if (steps_[node].repeated) return {state.stored, state.stored, nullptr};
        const Context outer = context(schema_.nodes[node].parent);
        const bool all = state.present == outer.elements;
        return {outer.elements, state.present, all ? nullptr : state.bits.data()};
    }

    // Decides what is written of a node.
    bool settle(std::uint32_t node, Reduction reduction) {
        const Node& field = schema_.nodes[node];
        State& state = states_[node];
        Placed& placed = layout_[node];
        const Context outer = context(field.parent);
        if (field.required && state.present != outer.having)
            return fail(Reason::missing_required, begin_, field.name);
        const bool any = field.repeated ? state.stored != 0 : state.present != 0;
        if (!any || outer.elements == 0) return true;
        placed.elements = outer.elements;
        if (state.filled != outer.elements && !pad(node, outer.elements, begin_)) return false;
        if (state.gaps) state.bits.append_zeros((outer.elements + 7) / 8 - state.bits.size());
        if (field.repeated || field.type == Type::text) {
            const std::size_t total = field.repeated ? state.stored : state.values.size();
            if (total > std::numeric_limits<std::uint32_t>::max())
                return fail(Reason::too_large, begin_, field.name);
            state.starts.push(static_cast<std::uint32_t>(total));
        }
        const bool implicit = !field.optional && !field.required && !field.repeated;
        if (implicit && all_default(field, state.values)) return true;
        placed.written = true;
        placed.presence = field.optional && state.present != outer.having;
        if (field.repeated) {
            placed.offsets = true;
            placed.offset_count = outer.elements + 1;
        }
        if (field.type == Type::text) {
            settle_text(state, reduction, implicit ? outer.bits : bits_of(node, outer), placed);
        } else if (field.type != Type::message) {
            const std::size_t values = field.repeated ? state.stored : outer.elements;
            const Byte* const bits = field.repeated ? nullptr
                                     : implicit     ? outer.bits
                                                    : bits_of(node, outer);
            encodings_[node].choose(field, reduction, state.values.data(), values, bits, placed);
        }
        return true;
    }
    const Byte* bits_of(std::uint32_t node, const Context& outer) const noexcept {
        const State& state = states_[node];
        return state.present == outer.elements ? nullptr : state.bits.data();
    }
    static bool all_default(const Node& field, const Buffer& values) noexcept {
        const Byte* const p = values.data();
        if (field.type == Type::text) return values.empty();
        return std::all_of(p, p + values.size(), [](Byte byte) { return byte == 0; });
    }

    static void settle_text(const State& state, Reduction reduction, const Byte* bits,
                            Placed& placed) noexcept {
        const Byte* const starts = state.starts.data();
        if (reduction.form == Reduce::automatic) {
            std::string_view first;
            bool found = false;
            bool same = true;
            for (std::size_t i = 0; i < placed.elements && same; ++i) {
                if (bits != nullptr && (bits[i / 8] >> (i % 8) & 1U) == 0) continue;
                const auto begin = load<std::uint32_t>(starts + 4 * i);
                const std::string_view text(
                    reinterpret_cast<const char*>(state.values.data()) + begin,
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
        placed.column = !state.values.empty();
        placed.size = state.values.size();
    }

    void fill(std::uint32_t node, Byte* buffer) const noexcept {
        const Placed& placed = layout_[node];
        const State& state = states_[node];
        const Node& field = schema_.nodes[node];
        if (!placed.written) return;
        if (placed.presence) {
            std::memcpy(buffer + placed.presence_at, state.bits.data(), state.bits.size());
        }
        if (placed.offsets && (field.repeated || field.type == Type::text)) {
            std::memcpy(buffer + placed.offsets_at, state.starts.data(), state.starts.size());
        }
        if (field.type == Type::text) {
            if (placed.column)
                std::memcpy(buffer + placed.column_at, state.values.data(), placed.size);
        } else if (field.type != Type::message) {
            encodings_[node].fill(placed, buffer);
        }
    }

    Schema schema_{};
    Index index_;
    std::vector<Step> steps_;
    std::vector<State> states_;
    std::vector<Chosen> chosen_;
    std::vector<Encoding> encodings_;
    Layout layout_;
    ConversionLimits limits_{};
    Error error_{};
    const Byte* begin_ = nullptr;
    std::size_t padding_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace wirecost::columns
