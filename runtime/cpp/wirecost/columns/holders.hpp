// SPDX-License-Identifier: Apache-2.0
// Between lists of holders and columns, through the holders' Protobuf codec.
#pragma once

#include "wirecost/columns/rows.hpp"

namespace wirecost::columns {

// `Columns` is a generated struct; `Codec` has the functions `size`, `encode` and `decode` of its
// holder. Keeps its memory: used again for alike lists, it allocates nothing itself.
template <class Columns, class Codec>
class HolderConverter {
  public:
    using Holder = typename Columns::Holder;

    // Appends the content of a columns field. `reductions`: one a node.
    Error to_columns(std::span<const Holder> holders, Buffer& out,
                     std::span<const Reduction> reductions = Columns::reductions,
                     const ConversionLimits& limits = {}) {
        transposer_.begin(Columns::schema, limits);
        for (const Holder& holder : holders) {
            bytes_.resize(Codec::size(holder));
            const auto made = Codec::encode(
                holder, std::span(reinterpret_cast<std::byte*>(bytes_.data()), bytes_.size()));
            if (made.error) {
                const bool lacks = made.error.reason == wirecost::Reason::missing_required;
                return {lacks ? Reason::missing_required : Reason::too_large, 0,
                        Columns::schema.name};
            }
            if (const Error error = transposer_.row(made.bytes)) return error;
        }
        return transposer_.finish(reductions, out);
    }

    // Replaces `holders` by the elements of the columns field whose content is `in`.
    template <class Memory>
    Error to_rows(std::span<const std::byte> in, wirecost::Sequence<Holder, Memory>& holders,
                  const Limits& limits = {}, const ConversionLimits& sizes = {}) {
        holders.clear();
        bytes_.clear();
        if (const Error error = reader_.read(in, Columns::schema, limits)) return error;
        if (const Error error = writer_.write(reader_, 1, bytes_, sizes)) return error;
        holders.reserve(reader_.count());
        Reading reading(bytes_.data(), 0, 0, no_limits);
        const Byte* p = bytes_.data();
        const Byte* const end = bytes_.end();
        for (std::uint32_t i = 0; i < reader_.count(); ++i) {
            std::string_view row;
            p = protobuf::read_text(p + 1, end, reading, row);
            if (const auto error =
                    Codec::decode(std::as_bytes(std::span(row)), holders.overwrite_back())) {
                holders.clear();
                return {error.reason == wirecost::Reason::missing_required
                            ? Reason::missing_required
                            : reason_of(error.reason),
                        0, Columns::schema.name};
            }
        }
        return {};
    }

  private:
    Transposer transposer_;
    Reader reader_;
    RowWriter writer_;
    Buffer bytes_;
};

}  // namespace wirecost::columns
