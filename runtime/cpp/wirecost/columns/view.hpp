// SPDX-License-Identifier: Apache-2.0
// Typed access to a columns field, by tokens that the schema compiler writes.
#pragma once

#include "wirecost/columns/column.hpp"

namespace wirecost::columns {

// A columns field of type `Columns`, a generated struct with a schema and tokens:
// `view[Columns::field]` is what the field holds. Keeps its memory when it reads again.
template <class Columns>
class View {
  public:
    // `in`, the content of a columns field, must outlive the view's use.
    Error read(std::span<const std::byte> in, const Limits& limits = {}) {
        return error_ = reader_.read(in, Columns::schema, limits);
    }
    const Error& error() const noexcept { return error_; }
    const Reader& reader() const noexcept { return reader_; }

    // Elements of the list.
    std::uint32_t size() const noexcept { return reader_.count(); }

    template <class T>
    Column<T> operator[](Scalar<T> token) const noexcept {
        return {reader_, token.node};
    }
    template <class T>
    RepeatedColumn<T> operator[](Repeated<T> token) const noexcept {
        return {reader_, token.node};
    }
    TextColumn operator[](Text token) const noexcept { return {reader_, token.node}; }
    RepeatedTextColumn operator[](RepeatedText token) const noexcept {
        return {reader_, token.node};
    }
    MessageColumn operator[](const Message& token) const noexcept { return {reader_, token.node}; }
    RangesColumn operator[](const RepeatedMessage& token) const noexcept {
        return {reader_, token.node};
    }

  private:
    Reader reader_;
    Error error_{};
};

}  // namespace wirecost::columns
