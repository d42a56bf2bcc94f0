// SPDX-License-Identifier: Apache-2.0
// Writes a column without generated code, and reads it in place.
#include <cstdio>
#include <vector>
#include <wirecost/columns/builder.hpp>
#include <wirecost/columns/view.hpp>

using namespace wirecost::columns;

struct Ranges {
  inline static const Node nodes[]{{.name = "range", .number = 1, .end = 1, .type = Type::float32}};
  inline static const Schema schema{"Ranges", nodes};
};

int main() {
  const std::vector<float> ranges{1.5F, 2.5F};
  Builder<Ranges> builder;
  builder.begin(2);
  builder.announce(Scalar<float>{0}, std::span<const float>(ranges), Reduction{});
  Buffer buffer;
  if (builder.place(buffer)) return 1;
  View<Ranges> view;
  std::vector<float> spare;
  if (view.read(buffer.bytes())) return 1;
  std::printf("%g m\n", view[Scalar<float>{0}].span(spare)[1]);
}
