// SPDX-License-Identifier: Apache-2.0
// The columns wire in as few bytes as the stated errors allow. How wide a column gets follows from
// all its values, so they are gathered first.
#pragma once

#include "bench/repeated/carrier.hpp"
#include "bench/repeated/contenders/columns_field.hpp"
#include "bench/repeated/contenders/wirecost_rows.hpp"

namespace wirecost::bench::repeated {

template <class Repeated_>
class ColumnsReduced {
 public:
  using Repeated = Repeated_;

  void encode(std::span<const typename Repeated::Element> elements) {
    for_each_field<Repeated>([&](const auto&, auto index) {
      auto& array = std::get<index>(gathered_);
      array.resize(elements.size());
      std::get<index>(spans_) = array;
    });
    scatter<Repeated>(elements, spans_);
    field_.begin(elements.size());
    for_each_field<Repeated>([&](const auto& field, auto index) {
      const std::span<const StoredOf<Repeated, index>> values = std::get<index>(spans_);
      field_.builder().announce(field.token, values, field.reduction);
    });
    field_.place();
  }
  std::span<std::byte> buffer() { return field_.bytes(); }
  bool decode(auto& out) { return field_.decode(out); }

 private:
  ColumnsField<Repeated> field_;
  Arrays<Repeated> gathered_;
  Spans<Repeated> spans_;
};

template <class Repeated>
void add_columns_reduced(Contenders& all) {
  add<ColumnsReduced<Repeated>>(all, {"columns-reduced", "view", "columns", generated_by,
                                      "borrowing, validating, within stated errors"});
}

}  // namespace wirecost::bench::repeated
