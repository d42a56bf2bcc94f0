// SPDX-License-Identifier: Apache-2.0
// The columns wire, exact: values are stored where they will lie in the message.
#pragma once

#include "bench/repeated/carrier.hpp"
#include "bench/repeated/contenders/columns_field.hpp"
#include "bench/repeated/contenders/wirecost_rows.hpp"

namespace wirecost::bench::repeated {

template <class Repeated_>
class Columns {
 public:
  using Repeated = Repeated_;

  void encode(std::span<const typename Repeated::Element> elements) {
    field_.begin(elements.size());
    for_each_field<Repeated>(
        [&](const auto& field, auto) { field_.builder().announce(field.token); });
    field_.place();
    for_each_field<Repeated>([&](const auto& field, auto index) {
      std::get<index>(spans_) = field_.builder().values(field.token);
    });
    scatter<Repeated>(elements, spans_);
  }
  std::span<std::byte> buffer() { return field_.bytes(); }
  bool decode(auto& out) { return field_.decode(out); }

 private:
  ColumnsField<Repeated> field_;
  Spans<Repeated> spans_;
};

template <class Repeated>
void add_columns(Contenders& all) {
  add<Columns<Repeated>>(all,
                         {"columns", "view", "columns", generated_by, "borrowing, validating"});
}

}  // namespace wirecost::bench::repeated
