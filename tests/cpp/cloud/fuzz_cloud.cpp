// SPDX-License-Identifier: Apache-2.0
// Packed clouds under libFuzzer: any bytes are read or refused, and what is read can be packed
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include "wirecost/cloud/packed/packer.hpp"
#include "wirecost/cloud/packed/unpacker.hpp"

namespace {

using namespace wirecost::cloud;

constexpr std::size_t most = std::size_t{1} << 20;

void read(std::span<const std::byte> packed) {
  static Unpacker unpacker;
  static std::vector<std::byte> points, again;
  const PackedLayout layout = unpacker.read(packed);
  if (layout.bytes > most) return;
  points.resize(layout.bytes);
  unpacker.unpack(points);
  static Packer small, quick({}, Effort::quick);
  const CloudView view{layout.height, layout.width,      layout.fields,
                       false,         layout.point_step, layout.width * layout.point_step,
                       points};
  for (Packer* packer : {&small, &quick}) {
    const auto packed_again = packer->pack(view);
    again.resize(unpacker.read(packed_again).bytes);
    unpacker.unpack(again);
    if (points != again) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read(std::as_bytes(std::span(data, size)));
  } catch (const std::invalid_argument&) {
  }
  // The bytes as points themselves, so that the packer meets anything, too.
  static const std::vector<Field> fields{{"x", 0, Type::f32},  {"y", 4, Type::f32},
                                         {"z", 8, Type::f32},  {"ring", 12, Type::u16},
                                         {"t", 14, Type::f64}, {"i", 22, Type::i16}};
  constexpr std::uint32_t step = 24;
  const auto count = static_cast<std::uint32_t>(size / step);
  static const std::vector<Precision> errors{{"x", 0.001}, {"y", 0.001}, {"z", 0.001}, {"t", 0.5}};
  static Packer exact[]{Packer({}, Effort::small), Packer({}, Effort::quick)};
  static Packer near[]{Packer(errors, Effort::small), Packer(errors, Effort::quick)};
  const CloudView view{1,
                       count,
                       fields,
                       false,
                       step,
                       count * step,
                       std::as_bytes(std::span(data, std::size_t{count} * step))};
  for (Packer& packer : near) packer.pack(view);
  for (Packer& packer : exact) {
    const auto packed = packer.pack(view);
    static Unpacker unpacker;
    std::vector<std::byte> points(unpacker.read(packed).bytes);
    unpacker.unpack(points);
    if (!points.empty() && std::memcmp(points.data(), data, points.size()) != 0) std::abort();
  }
  return 0;
}
