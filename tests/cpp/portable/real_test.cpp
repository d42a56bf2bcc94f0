// SPDX-License-Identifier: Apache-2.0
// What glibc's strtod stands in for reads as libstdc++'s own from_chars does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "../../../cpp/portable/libstdcxx.cpp"

namespace {

using Function = decltype(&stand_in::real);

void same(const std::string& text) {
  static const auto own =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "_ZSt10from_charsPKcS0_RdSt12chars_format"));
  ASSERT_NE(own, nullptr);
  double expected = 7;
  double value = 7;
  const char* const end = text.data() + text.size();
  const auto by_own = own(text.data(), end, expected, std::chars_format::general);
  const auto here = stand_in::by_strtod(text.data(), end, value);
  EXPECT_EQ(here.ptr, by_own.ptr) << text;
  EXPECT_EQ(here.ec, by_own.ec) << text;
  EXPECT_EQ(std::memcmp(&value, &expected, sizeof value), 0) << text;
}

TEST(Real, IsThatOfNewerLibraries) {
  std::mt19937_64 random(1);
  for (int count = 0; count < 20'000; ++count) {
    const auto bits = random();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    for (const int digits : {5, 17}) {
      char text[40];
      std::snprintf(text, sizeof text, "%.*g", digits, number);
      same(text);
    }
  }
}

TEST(Real, OfLimitsAndOfWhatIsNone) {
  for (const char* text :
       {"1e999", "-1e999", "1e-999", "0", "-0", "4.9e-324", "2e-324", "1.7976931348623159e308",
        "5e-310", "1e", "1e+", "-", "", ".5", "5.", "+1", "1.5e+3x", "1-2", "--1"})
    same(text);
}

}  // namespace
