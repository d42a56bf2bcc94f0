// SPDX-License-Identifier: Apache-2.0
// Columns to rows, on bytes: every element becomes a message in Protobuf's wire format.
#pragma once

#include "wirecost/columns/decode.hpp"
#include "wirecost/columns/limits.hpp"

namespace wirecost::columns {

// Keeps its memory: used again for an alike columns field, it allocates nothing.
class RowWriter {
  public:
    // Appends every element of what the reader read as field `number`, behind its tag and length.
    // Where they would take more than the limit, nothing is appended.
    Error write(const Reader& reader, std::uint32_t number, Buffer& out,
                const ConversionLimits& limits = {}) {
        if (row_memory(reader) > limits.of(reader.size()))
            return {Reason::too_large, 0, reader.schema().name};
        reader_ = &reader;
        index_.bind(reader.schema());
        out_ = &out;
        ops_.clear();
        const Fields all = plan(-1);
        const Op row{.tag = tag_of(number, protobuf::len)};
        const std::size_t bound = all.bound + head;
        for (std::uint32_t i = 0; i < reader.count(); ++i) {
            out.advance(message(row, all, i, room(out.end(), bound), head));
        }
        return {};
    }

  private:
    // What a tag and a scalar, and the tags and length of a message, take at most, and what storing
    // eight bytes of a tag at once may touch behind it.
    static constexpr std::size_t scalar_size = 15;
    static constexpr std::size_t head = 24;

    struct Tag {
        std::uint64_t bytes = 0;
        std::uint32_t size = 0;
        std::uint32_t number = 0;
    };
    struct Fields {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        std::size_t bound = 0;  // bytes of single scalars and the frames of single messages
    };
    enum class Kind : std::uint8_t { fixed, varint, zigzag, boolean, text, texts, message };

    // What a message's field asks for, of those that any element has.
    struct Op {
        Tag tag{};
        const Slot* slot = nullptr;
        std::uint32_t node = 0;
        std::uint32_t run = 0;  // the one that the last element lay in
        Type type = Type::message;
        Kind kind = Kind::message;
        bool repeated = false;
        bool packed = false;
        bool group = false;
        bool keeps_default = false;  // written even if it is zero or empty
        Fields fields{};
    };

    static Tag tag_of(std::uint32_t number, std::uint32_t wire_type) noexcept {
        std::uint64_t value = std::uint64_t{number} << 3U | wire_type;
        Tag tag{0, 0, number};
        for (; value >= 0x80; value >>= 7U) {
            tag.bytes |= ((value & 0x7FU) | 0x80U) << (8 * tag.size++);
        }
        tag.bytes |= value << (8 * tag.size++);
        return tag;
    }
    static Byte* put(Byte* p, const Tag& tag) noexcept {
        std::memcpy(p, &tag.bytes, sizeof tag.bytes);  // the bound has room for eight
        return p + tag.size;
    }
    static Byte* put_number(Byte* p, std::uint64_t value) noexcept {
        for (; value >= 0x80; value >>= 7U) *p++ = static_cast<Byte>(value | 0x80U);
        *p++ = static_cast<Byte>(value);
        return p;
    }

    // The operations of a message's fields, those of messages in it behind them.
    Fields plan(std::int32_t message) {
        const auto first = static_cast<std::uint32_t>(ops_.size());
        for (const std::uint32_t node : index_.children(message)) {
            const Node& field = reader_->schema().nodes[node];
            const Slot& slot = (*reader_)[node];
            const bool scalar = is_scalar(field.type) || field.type == Type::text;
            if (slot.present || (field.always && scalar)) ops_.push_back(op_of(field, slot, node));
        }
        const auto last = static_cast<std::uint32_t>(ops_.size());
        Fields made{first, last, 0};
        for (std::uint32_t i = first; i < last; ++i) {
            if (ops_[i].kind == Kind::message) {
                const Fields fields = plan(static_cast<std::int32_t>(ops_[i].node));
                ops_[i].fields = fields;
                if (!ops_[i].repeated) made.bound += head + fields.bound;
            } else if (ops_[i].kind != Kind::text && ops_[i].kind != Kind::texts) {
                made.bound += scalar_size;
            }
        }
        return made;
    }

    Op op_of(const Node& field, const Slot& slot, std::uint32_t node) const noexcept {
        Op op;
        op.slot = &slot;
        op.node = node;
        op.type = field.type;
        op.repeated = field.repeated;
        op.group = field.group;
        op.keeps_default = field.optional || field.always || field.repeated;
        std::uint32_t wire_type = protobuf::len;
        if (field.wraps) {
            op.kind = Kind::texts;
        } else if (field.type == Type::message) {
            if (field.group) wire_type = protobuf::start_group;
        } else if (field.type == Type::text) {
            op.kind = Kind::text;
        } else {
            op.kind = field.type == Type::boolean      ? Kind::boolean
                      : field.coding == Coding::fixed  ? Kind::fixed
                      : field.coding == Coding::zigzag ? Kind::zigzag
                                                       : Kind::varint;
            op.packed = field.packed;
            if (!field.packed) {
                wire_type = op.kind != Kind::fixed      ? protobuf::varint
                            : width_of(field.type) == 8 ? protobuf::i64
                                                        : protobuf::i32;
            }
        }
        op.tag = tag_of(field.number, wire_type);
        return op;
    }

    // Room for that many bytes behind `p`, which may move.
    Byte* room(Byte* p, std::size_t size) {
        out_->advance(p);
        return out_->room(size);
    }

    // A message of these fields, there being room for its bound and `tail` bytes behind it.
    Byte* message(const Op& op, const Fields& fields, std::uint32_t element, Byte* p,
                  std::size_t tail) {
        p = put(p, op.tag);
        if (op.group) {
            p = content(fields, element, p, tail + head);
            return put(p, tag_of(op.tag.number, protobuf::end_group));
        }
        const auto start = static_cast<std::size_t>(p - out_->data()) + 1;
        p = content(fields, element, p + 1, tail + head);
        Byte* const begin = out_->data() + start;
        const auto size = static_cast<std::size_t>(p - begin);
        const std::size_t prefix = protobuf::varint_size(size);
        if (prefix > 1) std::memmove(begin + prefix - 1, begin, size);
        put_number(begin - 1, size);
        return p + prefix - 1;
    }

    Byte* content(const Fields& fields, std::uint32_t element, Byte* p, std::size_t tail) {
        for (std::uint32_t i = fields.begin; i < fields.end; ++i) {
            Op& op = ops_[i];
            if (!op.slot->has_bit(element)) continue;
            const std::size_t behind = fields.bound + tail;
            if (op.repeated) {
                p = repeated(op, element, p, behind);
            } else if (op.kind == Kind::message) {
                p = message(op, op.fields, element, p, behind);
            } else if (op.kind == Kind::text) {
                p = text(op.tag, *op.slot, element, p, behind, op.keeps_default);
            } else {
                p = scalar(op, element, p);
            }
        }
        return p;
    }

    static Byte* put_value(Byte* p, const Op& op, std::uint64_t bits) noexcept {
        const std::uint32_t width = width_of(op.type);
        if (op.kind == Kind::fixed) {
            std::memcpy(p, &bits, 8);
            return p + width;
        }
        if (is_signed(op.type)) {
            const unsigned unused = 64 - 8 * width;
            bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >>
                                              static_cast<int>(unused));
        }
        if (op.kind == Kind::zigzag) {
            bits = protobuf::zigzag(static_cast<std::int64_t>(bits));
        } else if (op.kind == Kind::boolean) {
            bits = bits != 0 ? 1 : 0;
        }
        return put_number(p, bits);
    }

    Byte* scalar(Op& op, std::uint32_t element, Byte* p) const noexcept {
        const Slot& slot = *op.slot;
        std::uint64_t bits = 0;
        if (slot.form == Form::constant) {
            bits = slot.constant;
        } else if (slot.form != Form::absent) {
            std::size_t at = element;
            if (slot.in_runs) {
                while (slot.offset(op.run + 1) <= element) ++op.run;
                at = op.run;
            }
            bits = bits_at(slot, op.type, at);
        }
        if (bits == 0 && !op.keeps_default) return p;
        return put_value(put(p, op.tag), op, bits);
    }

    // Stored value `at` as it lies in memory.
    static std::uint64_t bits_at(const Slot& slot, Type type, std::size_t at) noexcept {
        const Byte* const p = slot.values + at * slot.width;
        switch (slot.form) {
            case Form::narrow:
                return std::bit_cast<std::uint64_t>(static_cast<double>(load<float>(p)));
            case Form::scaled: {
                const std::uint32_t stored = load_stored(p, slot.width);
                if (type == Type::float64)
                    return std::bit_cast<std::uint64_t>(
                        from_scaled<double>(slot.base, slot.scale, stored));
                if (type == Type::float32)
                    return std::bit_cast<std::uint32_t>(
                        from_scaled<float>(slot.base, slot.scale, stored));
                const auto sum = from_scaled<std::uint64_t>(slot.base, slot.scale, stored);
                const std::uint32_t width = width_of(type);
                return width == 8 ? sum : sum & ((1ULL << (8 * width)) - 1);
            }
            default:
                switch (slot.width) {
                    case 8:
                        return load<std::uint64_t>(p);
                    case 4:
                        return load<std::uint32_t>(p);
                    case 2:
                        return load<std::uint16_t>(p);
                    default:
                        return *p;
                }
        }
    }

    Byte* text(const Tag& tag, const Slot& slot, std::uint32_t element, Byte* p, std::size_t tail,
               bool keeps_default) {
        std::string_view value;
        const auto* const all = reinterpret_cast<const char*>(slot.values);
        if (slot.form == Form::constant) {
            value = {all, slot.size};
        } else if (slot.form == Form::plain) {
            const std::uint32_t begin = slot.offset(element);
            value = {all + begin, slot.offset(element + 1) - begin};
        }
        if (value.empty() && !keeps_default) return p;
        p = room(p, head + value.size() + tail);
        p = put_number(put(p, tag), value.size());
        return store_bytes(p, value.data(), value.size());
    }

    Byte* repeated(Op& op, std::uint32_t element, Byte* p, std::size_t tail) {
        const std::uint32_t begin = op.slot->offset(element);
        const std::uint32_t end = op.slot->offset(element + 1);
        if (op.packed && begin != end) return packed(op, begin, end, p, tail);
        for (std::uint32_t i = begin; i < end; ++i) {
            if (op.kind == Kind::texts) {
                p = text(op.tag, (*reader_)[op.node + 1], i, p, tail, true);
            } else if (op.kind == Kind::message) {
                p = message(op, op.fields, i, room(p, head + op.fields.bound + tail), tail);
            } else {
                p = scalar(op, i, room(p, scalar_size + tail));
            }
        }
        return p;
    }

    Byte* packed(Op& op, std::uint32_t begin, std::uint32_t end, Byte* p, std::size_t tail) {
        const Slot& slot = *op.slot;
        const auto value = [&](std::uint32_t i) {
            return slot.form == Form::constant ? slot.constant : bits_at(slot, op.type, i);
        };
        std::size_t size = std::size_t{end - begin} * width_of(op.type);
        if (op.kind != Kind::fixed) {
            size = 0;
            std::array<Byte, 16> unused;
            for (std::uint32_t i = begin; i < end; ++i) {
                size += static_cast<std::size_t>(put_value(unused.data(), op, value(i)) -
                                                 unused.data());
            }
        }
        p = room(p, head + size + tail);
        p = put_number(put(p, op.tag), size);
        for (std::uint32_t i = begin; i < end; ++i) p = put_value(p, op, value(i));
        return p;
    }

    const Reader* reader_ = nullptr;
    Index index_;
    std::vector<Op> ops_;
    Buffer* out_ = nullptr;
};

}  // namespace wirecost::columns
