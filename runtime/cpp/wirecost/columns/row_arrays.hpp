// SPDX-License-Identifier: Apache-2.0
// Rows, messages in Protobuf's wire format, taken apart into arrays: one for each field.
#pragma once

#include <vector>

#include "wirecost/columns/buffer.hpp"
#include "wirecost/columns/error.hpp"
#include "wirecost/columns/index.hpp"
#include "wirecost/columns/limits.hpp"

namespace wirecost::columns {

// What all rows have of a node.
struct RowArray {
    Buffer values;              // of a scalar as in memory, of a text its bytes
    Buffer starts;              // of texts and repeated fields: where each element's part begins
    Buffer bits;                // presence, from the first gap on
    std::uint32_t filled = 0;   // elements with a place
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

// Keeps its memory: used again for alike rows, it allocates nothing. Only elements up to the last
// that has a field have places in its arrays.
class RowArrays {
  public:
    // Forgets all rows. The schema's nodes must stay.
    void begin(const Schema& schema, const ConversionLimits& limits = {}) {
        schema_ = schema;
        index_.bind(schema);
        limits_ = limits;
        const std::size_t size = schema.nodes.size();
        if (arrays_.size() < size) arrays_.resize(size);
        for (RowArray& array : arrays_) array.clear();
        steps_.clear();
        std::int32_t oneofs = 0;
        for (const Node& node : schema.nodes) {
            steps_.push_back(step_of(node));
            oneofs = std::max(oneofs, node.oneof + 1);
        }
        chosen_.assign(static_cast<std::size_t>(oneofs), Chosen{});
        count_ = 0;
        size_ = padding_ = 0;
        error_ = {};
    }

    std::uint32_t count() const noexcept { return count_; }
    std::size_t padding() const noexcept { return padding_; }
    const Schema& schema() const noexcept { return schema_; }
    const Error& error() const noexcept { return error_; }
    RowArray& operator[](std::size_t node) noexcept { return arrays_[node]; }
    const RowArray& operator[](std::size_t node) const noexcept { return arrays_[node]; }

    // Adds a row. After an error, whose position counts from the row's begin, nothing can follow
    // but `begin`: Reason::unknown_field and Reason::two_of_oneof say that the rows are well-formed
    // but no columns can hold them.
    Error row(std::span<const std::byte> in) {
        if (count_ == largest_count) return error_ = {Reason::too_large, 0, {}};
        begin_ = reinterpret_cast<const Byte*>(in.data());
        size_ += in.size();
        if (message(-1, count_, begin_, begin_ + in.size())) ++count_;
        return error_;
    }

    // Gives all elements up to that one a place; false beyond the limit.
    bool pad(std::uint32_t node, std::uint32_t element) { return pad(node, element, begin_); }
    bool refuse(Reason reason, std::uint32_t node) noexcept {
        return fail(reason, begin_, schema_.nodes[node].name);
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
        RowArray& array = arrays_[node];
        if (array.filled != element + 1) {
            if (array.filled != element && !pad(node, element, p)) return nullptr;
            if (array.gaps) set_bit(array, element);
            ++array.filled;
            ++array.present;
            if (step.kind == Kind::text) {
                array.starts.push(static_cast<std::uint32_t>(array.values.size()));
            } else if (step.kind != Kind::message) {
                return scalar(step, array, p, end);
            }
        } else if (step.kind == Kind::text) {
            array.values.resize(load<std::uint32_t>(array.starts.end() - 4));
        } else if (step.kind != Kind::message) {
            array.values.resize(array.values.size() - step.width);
            return scalar(step, array, p, end);
        }
        return step.kind == Kind::text ? text(array, p, end) : inner(node, element, p, end, tag);
    }

    const Byte* repeated(std::uint32_t node, std::uint32_t element, const Byte* p, const Byte* end,
                         std::uint32_t wire_type, const Byte* start) {
        const Step& step = steps_[node];
        RowArray& array = arrays_[node];
        if (array.filled != element + 1) {
            if (array.filled != element && !pad(node, element, p)) return nullptr;
            array.starts.push(array.stored);
            ++array.filled;
        }
        if (array.stored >= largest_count) return fail(Reason::too_large, start), nullptr;
        if (step.kind != Kind::message && wire_type == protobuf::len) return packed(node, p, end);
        if (wire_type != step.wire_type) {
            const std::uint32_t tag = schema_.nodes[node].number << 3U | wire_type;
            return unknown(start, p, end, tag), nullptr;
        }
        const std::uint32_t value = array.stored++;
        if (step.kind != Kind::message) return scalar(step, array, p, end);
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

    const Byte* text(RowArray& array, const Byte* p, const Byte* end) {
        Reading reading(begin_, 0, 0, no_limits);
        std::string_view value;
        p = protobuf::read_text(p, end, reading, value);
        if (p == nullptr) return fail(reading), nullptr;
        array.values.append(value.data(), value.size());
        return p;
    }

    [[gnu::always_inline]] const Byte* scalar(const Step& step, RowArray& array, const Byte* p,
                                              const Byte* end) {
        if (step.kind == Kind::fixed) {
            if (left(p, end) < step.width) return fail(Reason::truncated, p), nullptr;
            if (step.width == 8) {
                array.values.push(load<std::uint64_t>(p));
            } else {
                array.values.push(load<std::uint32_t>(p));
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
                array.values.push(static_cast<std::uint8_t>(raw));
                break;
            case 2:
                array.values.push(static_cast<std::uint16_t>(raw));
                break;
            case 4:
                array.values.push(static_cast<std::uint32_t>(raw));
                break;
            default:
                array.values.push(raw);
        }
        return next;
    }

    const Byte* packed(std::uint32_t node, const Byte* p, const Byte* end) {
        const Step& step = steps_[node];
        RowArray& array = arrays_[node];
        Reading reading(begin_, 0, 0, no_limits);
        std::size_t size = 0;
        p = protobuf::read_length(p, end, reading, size);
        if (p == nullptr) return fail(reading), nullptr;
        const Byte* const stop = p + size;
        if (size > largest_count - array.stored) return fail(Reason::too_large, p), nullptr;
        if (step.kind == Kind::fixed) {
            if (size % step.width != 0) return fail(Reason::bad_length, p), nullptr;
            array.values.append(p, size);
            array.stored += static_cast<std::uint32_t>(size / step.width);
            return stop;
        }
        for (; p != stop; ++array.stored) {
            p = scalar(step, array, p, stop);
            if (p == nullptr) return nullptr;
        }
        return stop;
    }

    static void set_bit(RowArray& array, std::uint32_t element) {
        const std::size_t size = element / 8 + 1;
        if (array.bits.size() < size) array.bits.append_zeros(size - array.bits.size());
        array.bits.data()[element / 8] |= static_cast<Byte>(1U << (element % 8));
    }

    // Places up to that element for elements without the field.
    bool pad(std::uint32_t node, std::uint32_t element, const Byte* at) {
        const Step& step = steps_[node];
        RowArray& array = arrays_[node];
        const std::size_t missing = element - array.filled;
        const bool has_starts = step.repeated || step.kind == Kind::text;
        padding_ += missing * (has_starts ? 4 : step.width);
        if (static_cast<double>(padding_) > limits_.of(size_))
            return fail(Reason::too_large, at, schema_.nodes[node].name);
        if (!step.repeated && !array.gaps) {
            array.gaps = true;
            for (std::uint32_t i = 0; i < array.filled; ++i) set_bit(array, i);
        }
        if (has_starts) {
            const auto next =
                step.repeated ? array.stored : static_cast<std::uint32_t>(array.values.size());
            Byte* p = array.starts.room(4 * missing);
            for (std::size_t i = 0; i < missing; ++i) p = store(p, next);
            array.starts.advance(p);
        } else {
            array.values.append_zeros(missing * step.width);
        }
        array.filled = element;
        return true;
    }

    Schema schema_{};
    Index index_;
    std::vector<Step> steps_;
    std::vector<RowArray> arrays_;
    std::vector<Chosen> chosen_;
    ConversionLimits limits_{};
    Error error_{};
    const Byte* begin_ = nullptr;
    std::size_t size_ = 0;     // of all rows
    std::size_t padding_ = 0;  // bytes for what they lack
    std::uint32_t count_ = 0;
};

}  // namespace wirecost::columns
