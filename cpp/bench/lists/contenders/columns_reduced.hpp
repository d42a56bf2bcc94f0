// SPDX-License-Identifier: Apache-2.0
// The columns wire in as few bytes as the stated errors allow. How wide a column gets follows from
// all its values, so they are gathered first.
#pragma once

#include "bench/lists/carrier.hpp"
#include "bench/lists/contenders/columns_field.hpp"
#include "bench/lists/contenders/wirecost_rows.hpp"

namespace wirecost::bench::lists {

template <class List_>
class ColumnsReduced {
 public:
  using List = List_;

  void encode(std::span<const typename List::Element> elements) {
    for_each_field<List>([&](const auto&, auto index) {
      auto& array = std::get<index>(gathered_);
      array.resize(elements.size());
      std::get<index>(spans_) = array;
    });
    scatter<List>(elements, spans_);
    field_.begin(elements.size());
    for_each_field<List>([&](const auto& field, auto index) {
      const std::span<const StoredOf<List, index>> values = std::get<index>(spans_);
      field_.builder().announce(field.token, values, field.reduction);
    });
    field_.place();
  }
  std::span<std::byte> buffer() { return field_.bytes(); }
  bool decode(auto& out) { return field_.decode(out); }

 private:
  ColumnsField<List> field_;
  Arrays<List> gathered_;
  Spans<List> spans_;
};

template <class List>
void add_columns_reduced(Contenders& all) {
  add<ColumnsReduced<List>>(all, {"columns-reduced", "view", "columns", generated_by,
                                  "borrowing, validating, within stated errors"});
}

}  // namespace wirecost::bench::lists
