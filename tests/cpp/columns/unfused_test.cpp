// SPDX-License-Identifier: Apache-2.0
// Scaled values have the same bits where the compiler may fuse a product and a sum.
#include <gtest/gtest.h>

#include <random>

#include "wirecost/columns/decode.hpp"

namespace {

using namespace wirecost::columns;

template <class T>
void expect_rounded_twice(std::uint8_t width) {
  std::mt19937 random(1);
  std::vector<wirecost::Byte> bytes(4096 * width);
  for (auto& byte : bytes) byte = static_cast<wirecost::Byte>(random());
  Slot slot;
  slot.form = Form::scaled;
  slot.width = width;
  slot.scale = 0.1234567;
  slot.base = -77.7;
  slot.values = bytes.data();
  std::vector<T> all(4096);
  decode<T>(slot, std::span<T>(all), T{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint32_t stored = 0;
    std::memcpy(&stored, &bytes[i * width], width);
    const volatile double product = slot.scale * stored;
    const auto expected = static_cast<T>(slot.base + product);
    ASSERT_EQ(all[i], expected) << i;
    ASSERT_EQ(value_at(slot, i, T{}), expected) << i;
  }
}

TEST(Unfused, ScaledValues) {
  for (std::uint8_t width = 1; width <= 4; ++width) {
    expect_rounded_twice<double>(width);
    expect_rounded_twice<float>(width);
  }
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return 0;
#endif
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
