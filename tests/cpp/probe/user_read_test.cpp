// SPDX-License-Identifier: Apache-2.0
// Reading a counter in user space, against a page that no kernel wrote.
#include "user_read.hpp"

#include <gtest/gtest.h>

namespace wirecost::probe {
namespace {

perf_event_mmap_page page_of(std::int64_t offset, std::uint32_t index, std::uint16_t width) {
  perf_event_mmap_page page{};
  page.lock = 4;
  page.offset = offset;
  page.index = index;
  page.pmc_width = width;
  page.cap_user_rdpmc = 1;
  page.time_enabled = 700;
  page.time_running = 350;
  return page;
}

TEST(UserRead, AddsTheRegisterToTheOffset) {
  const perf_event_mmap_page page = page_of(1000, 3, 48);
  std::uint32_t asked = 99;
  const UserReading reading = read_in_user_space(&page, [&](std::uint32_t index) {
    asked = index;
    return std::uint64_t{42};
  });
  EXPECT_EQ(asked, 2U);
  EXPECT_EQ(reading.value, 1042U);
  EXPECT_EQ(reading.enabled_ns, 700U);
  EXPECT_EQ(reading.running_ns, 350U);
  EXPECT_TRUE(reading.on_processor);
}

TEST(UserRead, CarriesTheSignOfANarrowRegister) {
  const perf_event_mmap_page page = page_of(1000, 1, 48);
  const auto minus_five = [](std::uint32_t) { return (std::uint64_t{1} << 48) - 5; };
  EXPECT_EQ(read_in_user_space(&page, minus_five).value, 995U);
  const perf_event_mmap_page wide = page_of(1000, 1, 64);
  EXPECT_EQ(read_in_user_space(&wide, [](std::uint32_t) { return ~std::uint64_t{0}; }).value, 999U);
}

TEST(UserRead, ReadsNoRegisterOfACounterThatIsNotOnTheProcessor) {
  const auto never = [](std::uint32_t) -> std::uint64_t { throw std::logic_error("read"); };
  const perf_event_mmap_page off = page_of(77, 0, 48);
  EXPECT_EQ(read_in_user_space(&off, never).value, 77U);
  EXPECT_FALSE(read_in_user_space(&off, never).on_processor);
  perf_event_mmap_page forbidden = page_of(78, 1, 48);
  forbidden.cap_user_rdpmc = 0;
  EXPECT_EQ(read_in_user_space(&forbidden, never).value, 78U);
}

TEST(UserRead, ReadsAgainWhatTheKernelChangedMeanwhile) {
  perf_event_mmap_page page = page_of(1000, 1, 48);
  int reads = 0;
  const UserReading reading = read_in_user_space(&page, [&](std::uint32_t) -> std::uint64_t {
    if (++reads == 1) {
      page.lock += 2;
      page.offset = 5000;
      page.time_running = 400;
      return 1;
    }
    return 2;
  });
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(reading.value, 5002U);
  EXPECT_EQ(reading.running_ns, 400U);
}

}  // namespace
}  // namespace wirecost::probe
