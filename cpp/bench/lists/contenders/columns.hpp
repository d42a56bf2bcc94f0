// SPDX-License-Identifier: Apache-2.0
// The columns wire, exact: values are stored where they will lie in the message.
#pragma once

#include "bench/lists/carrier.hpp"
#include "bench/lists/contenders/columns_field.hpp"
#include "bench/lists/contenders/wirecost_rows.hpp"

namespace wirecost::bench::lists {

template <class List_>
class Columns {
 public:
  using List = List_;

  void encode(std::span<const typename List::Element> elements) {
    field_.begin(elements.size());
    for_each_field<List>([&](const auto& field, auto) { field_.builder().announce(field.token); });
    field_.place();
    for_each_field<List>([&](const auto& field, auto index) {
      std::get<index>(spans_) = field_.builder().values(field.token);
    });
    scatter<List>(elements, spans_);
  }
  std::span<std::byte> buffer() { return field_.bytes(); }
  bool decode(auto& out) { return field_.decode(out); }

 private:
  ColumnsField<List> field_;
  Spans<List> spans_;
};

template <class List>
void add_columns(Contenders& all) {
  add<Columns<List>>(all, {"columns", "view", "columns", generated_by, "borrowing, validating"});
}

}  // namespace wirecost::bench::lists
