// SPDX-License-Identifier: Apache-2.0
// Whole messages: lists of rows anywhere in them become columns, and back.
#pragma once

#include "wirecost/columns/containers.hpp"
#include "wirecost/columns/rows.hpp"
#include "wirecost/columns/wire_field.hpp"

namespace wirecost::columns {

// Keeps its memory: used again for alike messages, it allocates nothing.
class Converter {
  public:
    static constexpr int max_depth = 100;  // of messages in the outermost one

    // What the containers show must stay.
    explicit Converter(const Containers& containers) : containers_(containers) {}

    struct Options {
        bool keep_rows = false;  // beside the columns, for readers that do not know them
        Limits limits{};
        ConversionLimits sizes{};
    };

    // Appends the message `in` of that container type to `out`: verbatim, but for lists, which
    // become columns fields at the end of the message they stand in. A list that no columns can
    // hold stays as rows and is counted by `refused`; where a columns field is there already, it
    // stays. After an error nothing is appended.
    Error to_columns(std::uint32_t container, std::span<const std::byte> in, Buffer& out,
                     const Options& options) {
        return convert(&Converter::columns_in, container, in, out, options);
    }
    Error to_columns(std::uint32_t container, std::span<const std::byte> in, Buffer& out) {
        return to_columns(container, in, out, Options());
    }
    // The same from columns to rows, which stand where the columns field stood. A columns field
    // beside rows is dropped, and so is padding.
    Error to_rows(std::uint32_t container, std::span<const std::byte> in, Buffer& out,
                  const Options& options) {
        return convert(&Converter::rows_in, container, in, out, options);
    }
    Error to_rows(std::uint32_t container, std::span<const std::byte> in, Buffer& out) {
        return to_rows(container, in, out, Options());
    }

    // Lists that the last call converted, and those that it left as rows.
    std::size_t converted() const noexcept { return converted_; }
    std::size_t refused() const noexcept { return refused_; }

  private:
    using Walk = bool (Converter::*)(const Container&, const Byte*, const Byte*, int, bool&);

    Error convert(Walk walk, std::uint32_t container, std::span<const std::byte> in, Buffer& out,
                  const Options& options) {
        begin_ = reinterpret_cast<const Byte*>(in.data());
        out_ = &out;
        before_ = out.size();
        options_ = options;
        rest_ = options.sizes.of(in.size());
        error_ = {};
        converted_ = refused_ = 0;
        bool changed = false;
        const Container& outermost = containers_.all[container];
        if (!(this->*walk)(outermost, begin_, begin_ + in.size(), max_depth, changed)) {
            out.resize(before_);
        }
        return error_;
    }

    bool fail(Reason reason, const Byte* at, std::string_view name) noexcept {
        error_ = {reason, static_cast<std::size_t>(at - begin_), name};
        return false;
    }
    // What went wrong with the content that begins at `at`.
    bool fail(const Error& error, const Byte* at) noexcept {
        return fail(error.reason, at + error.position, error.column);
    }

    bool next(const Byte*& p, const Byte* end, WireField& field) noexcept {
        return next_field(begin_, p, end, field, error_);
    }
    void copy(const WireField& field) { out_->append(field.start, left(field.start, field.end)); }

    static const Edge* edge_of(const Container& container, const WireField& field) noexcept {
        for (const Edge& edge : container.edges) {
            if (field.is(edge.number)) return &edge;
        }
        return nullptr;
    }
    // How often a field stands in a message that was walked over before.
    std::size_t count(const Byte* p, const Byte* end, std::uint32_t number) noexcept {
        std::size_t found = 0;
        WireField field{};
        while (p != end && next(p, end, field)) found += field.is(number) ? 1 : 0;
        return found;
    }
    // What of the limit is left for the next list.
    ConversionLimits rest() const noexcept {
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        const bool fits = rest_ < static_cast<double>(most);
        return {fits ? static_cast<std::size_t>(rest_) : most, 0};
    }
    void spend(double memory) noexcept { rest_ = std::max(0.0, rest_ - memory); }

    // A message in the one at hand: behind a length of five bytes, or as it was if nothing in it
    // changed.
    bool inner(Walk walk, const Edge& edge, const WireField& field, int depth, bool& changed,
               bool minimal) {
        if (depth == 0) return fail(Reason::nested_too_deep, field.start, {});
        const std::size_t mark = out_->size();
        const std::size_t opened = open_message(*out_, field.number);
        bool inside = false;
        const Container& container = containers_.all[edge.container];
        if (!(this->*walk)(container, field.content, field.end, depth - 1, inside)) return false;
        if (!inside) {
            out_->resize(mark);
            copy(field);
            return true;
        }
        changed = true;
        if (!minimal) {
            close_message(*out_, opened);
            return true;
        }
        const std::size_t size = out_->size() - opened;
        out_->resize(opened - length_bytes);
        put_varint(*out_, size);
        std::memmove(out_->end(), out_->data() + opened, size);
        out_->resize(out_->size() + size);
        return true;
    }

    // Whether a field is a list that a later step looks at.
    static bool is_list(const Container& container, const WireField& field) noexcept {
        for (const ColumnsField& list : container.columns_fields) {
            if (field.is(list.rows)) return true;
        }
        return false;
    }

    bool columns_in(const Container& container, const Byte* const begin, const Byte* const end,
                    int depth, bool& changed) {
        WireField field{};
        for (const Byte* p = begin; p != end;) {
            if (!next(p, end, field)) return false;
            if (is_list(container, field)) {
                if (options_.keep_rows) copy(field);
            } else if (const Edge* const edge = edge_of(container, field)) {
                if (!inner(&Converter::columns_in, *edge, field, depth, changed, false))
                    return false;
            } else {
                copy(field);
            }
        }
        for (const ColumnsField& list : container.columns_fields) {
            if (!list_to_columns(list, begin, end, changed)) return false;
        }
        return true;
    }

    bool list_to_columns(const ColumnsField& list, const Byte* const begin, const Byte* const end,
                         bool& changed) {
        if (count(begin, end, list.rows) == 0) return true;
        if (count(begin, end, list.columns) != 0) {
            changed |= !options_.keep_rows;
            return true;
        }
        transposer_.begin(containers_.schemas[list.schema], rest());
        const Byte* row = begin;
        Error error;
        WireField field{};
        for (const Byte* p = begin; p != end && !error;) {
            next(p, end, field);
            if (!field.is(list.rows)) continue;
            row = field.content;
            error = transposer_.row(field.bytes());
        }
        const std::size_t mark = out_->size();
        if (!error) {
            const std::size_t opened = open_message(*out_, list.columns);
            const auto reductions = list.schema < containers_.reductions.size()
                                        ? containers_.reductions[list.schema]
                                        : std::span<const Reduction>();
            error = transposer_.finish(reductions, *out_);
            if (!error) {
                close_message(*out_, opened);
                spend(static_cast<double>(transposer_.padding()));
                ++converted_;
                changed = true;
                return true;
            }
        }
        out_->resize(mark);
        const bool stays = error.reason == Reason::unknown_field ||
                           error.reason == Reason::two_of_oneof ||
                           error.reason == Reason::missing_required;
        if (!stays) return fail(error, row);
        ++refused_;
        if (options_.keep_rows) return true;
        for (const Byte* p = begin; p != end;) {
            next(p, end, field);
            if (field.is(list.rows)) copy(field);
        }
        return true;
    }

    bool rows_in(const Container& container, const Byte* const begin, const Byte* const end,
                 int depth, bool& changed) {
        WireField field{};
        for (const Byte* p = begin; p != end;) {
            if (!next(p, end, field)) return false;
            if (field.is(padding_number)) {
                changed = true;
                continue;
            }
            const auto list =
                std::find_if(container.columns_fields.begin(), container.columns_fields.end(),
                             [&](const ColumnsField& one) { return one.columns == field.number; });
            if (list != container.columns_fields.end()) {
                changed = true;
                if (!list_to_rows(*list, field, begin, end)) return false;
            } else if (const Edge* const edge = edge_of(container, field)) {
                if (!inner(&Converter::rows_in, *edge, field, depth, changed, true)) return false;
            } else {
                copy(field);
            }
        }
        return true;
    }

    bool list_to_rows(const ColumnsField& list, const WireField& field, const Byte* begin,
                      const Byte* end) {
        const Schema& schema = containers_.schemas[list.schema];
        if (field.wire_type != protobuf::len)
            return fail(Reason::wrong_wire_type, field.start, schema.name);
        // Before the first columns field nothing was found broken; behind it, what is broken ends
        // the count.
        if (count(begin, field.start, list.columns) != 0)
            return fail(Reason::given_twice, field.start, schema.name);
        const bool has_rows = count(begin, end, list.rows) != 0;
        if (error_) return false;
        if (const Error error = reader_.read(field.bytes(), schema, options_.limits))
            return fail(error, field.content);
        if (has_rows) return true;
        if (const Error error = writer_.write(reader_, list.rows, *out_, rest()))
            return fail(error, field.content);
        spend(row_memory(reader_));
        ++converted_;
        return true;
    }

    Containers containers_;
    Transposer transposer_;
    Reader reader_;
    RowWriter writer_;
    Options options_{};
    Error error_{};
    Buffer* out_ = nullptr;
    const Byte* begin_ = nullptr;
    std::size_t before_ = 0;
    double rest_ = 0;  // memory that may still be taken
    std::size_t converted_ = 0;
    std::size_t refused_ = 0;
};

}  // namespace wirecost::columns
