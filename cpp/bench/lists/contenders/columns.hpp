// SPDX-License-Identifier: Apache-2.0
// The columns wire, exact: values are stored where they will lie in the message.
#pragma once

#include "bench/lists/carrier.hpp"
#include "bench/lists/contenders/twin.hpp"
#include "bench/lists/contenders/wirecost_rows.hpp"

namespace wirecost::bench::lists {

template <class List_>
class Columns {
 public:
  using List = List_;

  void encode(std::span<const typename List::Element> elements) {
    twin_.begin(elements.size());
    for_each_field<List>([&](const auto& field, auto) { twin_.builder().announce(field.token); });
    twin_.place();
    for_each_field<List>([&](const auto& field, auto index) {
      std::get<index>(spans_) = twin_.builder().values(field.token);
    });
    scatter<List>(elements, spans_);
  }
  std::span<std::byte> buffer() { return twin_.bytes(); }
  bool decode(auto& out) { return twin_.decode(out); }

 private:
  Twin<List> twin_;
  Spans<List> spans_;
};

template <class List>
void add_columns(Contenders& all) {
  add<Columns<List>>(all, {"columns", "view", "columns", generated_by, "borrowing, validating"});
}

}  // namespace wirecost::bench::lists
