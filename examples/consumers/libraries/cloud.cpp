// SPDX-License-Identifier: Apache-2.0
// Packs a cloud, and unpacks it again.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <wirecost/cloud/packed/packer.hpp>
#include <wirecost/cloud/packed/unpacker.hpp>

using namespace wirecost::cloud;

int main() {
  const std::vector<float> points{1, 2, 3, 4, 5, 6};
  const std::vector<Field> fields{{"x", 0, Type::f32}, {"y", 4, Type::f32}, {"z", 8, Type::f32}};
  const auto bytes = std::as_bytes(std::span(points));
  Packer packer;
  const auto packed = packer.pack({1, 2, fields, false, 12, 24, bytes});
  Unpacker unpacker;
  std::vector<std::byte> again(unpacker.read(packed).bytes);
  unpacker.unpack(again);
  if (!std::ranges::equal(again, bytes)) return 1;
  std::puts("2 points came back");
}
