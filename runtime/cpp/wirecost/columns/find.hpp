// SPDX-License-Identifier: Apache-2.0
// Finds columns in the bytes of the messages around them, without parsing these.
#pragma once

#include <vector>

#include "wirecost/columns/containers.hpp"
#include "wirecost/columns/wire_field.hpp"

namespace wirecost::columns {

// A columns field that lies in a message.
struct FoundColumns {
    std::span<const std::byte> content{};  // what `View::read` takes; the message must outlive it
    std::size_t position = 0;              // where it begins in the message
    const Container* container = nullptr;  // the type of message that it stands in
    const ColumnsField* columns_field = nullptr;  // and which list of it this is
};

// The walk of `find`.
class Finding {
  public:
    static constexpr int max_depth = 100;  // of messages in the outermost one

    Finding(const Containers& containers, std::string_view schema, std::span<const std::byte> in,
            std::vector<FoundColumns>& out)
        : containers_(containers),
          schema_(schema),
          begin_(reinterpret_cast<const Byte*>(in.data())),
          out_(out) {}

    bool walk(const Container& container, const Byte* const begin, const Byte* const end,
              int depth) {
        WireField field{};
        for (const Byte* p = begin; p != end;) {
            if (!next_field(begin_, p, end, field, error_)) return false;
            for (const ColumnsField& list : container.columns_fields) {
                if (field.number != list.columns || name_of(list) != schema_) continue;
                if (field.wire_type != protobuf::len) return fail(Reason::wrong_wire_type, field);
                if (stands_in(begin, field.start, list)) return fail(Reason::given_twice, field);
                out_.push_back({field.bytes(), left(begin_, field.content), &container, &list});
            }
            for (const Edge& edge : container.edges) {
                if (!field.is(edge.number)) continue;
                if (depth == 0) return fail(Reason::nested_too_deep, field);
                const Container& inner = containers_.all[edge.container];
                if (!walk(inner, field.content, field.end, depth - 1)) return false;
            }
        }
        return true;
    }
    const Error& error() const noexcept { return error_; }

  private:
    std::string_view name_of(const ColumnsField& list) const noexcept {
        return containers_.schemas[list.schema].name;
    }
    // In fields that were walked over before. The second one ends the walk, so that a list costs
    // one such look at most.
    bool stands_in(const Byte* p, const Byte* end, const ColumnsField& list) noexcept {
        WireField field{};
        while (p != end && next_field(begin_, p, end, field, error_)) {
            if (field.is(list.columns)) return true;
        }
        return false;
    }
    bool fail(Reason reason, const WireField& field) noexcept {
        error_ = {reason, left(begin_, field.start), schema_};
        return false;
    }

    const Containers& containers_;
    std::string_view schema_;
    const Byte* begin_;
    std::vector<FoundColumns>& out_;
    Error error_{};
};

// Where columns of type `Columns`, a generated struct, lie in `in`, a message of that container
// type (`ColumnContainers::Scan`), in its order. Nothing but what leads there is looked at, and a
// message whose list is in rows has none. Replaces what `out` holds and keeps its memory; after an
// error it is empty.
template <class Columns>
Error find(const Containers& containers, std::uint32_t container, std::span<const std::byte> in,
           std::vector<FoundColumns>& out) {
    out.clear();
    Finding finding(containers, Columns::schema.name, in, out);
    const auto* const begin = reinterpret_cast<const Byte*>(in.data());
    if (!finding.walk(containers.all[container], begin, begin + in.size(), Finding::max_depth)) {
        out.clear();
    }
    return finding.error();
}

}  // namespace wirecost::columns
