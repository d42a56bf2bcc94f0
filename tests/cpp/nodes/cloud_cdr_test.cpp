// SPDX-License-Identifier: Apache-2.0
#include "cloud_cdr.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

namespace nodes {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Stamp 7.000000009 s, frame "os": 14 bytes, so that what follows must be aligned.
const Bytes header{7, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 'o', 's', 0};

PlainBytes plain(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

Bytes message(const Bytes& points) {
  Bytes made;
  write(plain(header), plain(points), made);
  return made;
}

/// Reads all that a message points to, so that the sanitizer sees where that is.
unsigned sum_of(const PlainCloud& cloud) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < cloud.data.size; ++i) sum += cloud.data.first[i];
  for (const PlainField& field : cloud.fields)
    for (const char each : field.name) sum += static_cast<unsigned char>(each);
  return sum;
}

TEST(CloudCdr, AWrittenMessageIsReadWhereItLies) {
  Bytes points(std::size_t{5} * filtered_step);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<std::uint8_t>(i);
  const Bytes bytes = message(points);
  CloudMessage found;
  for (int again = 0; again < 2; ++again) read(plain(bytes), found);
  EXPECT_EQ(Bytes(found.header.first, found.header.first + found.header.size), header);
  EXPECT_EQ(found.cloud.height, 1U);
  EXPECT_EQ(found.cloud.width, 5U);
  EXPECT_FALSE(found.cloud.big_endian);
  EXPECT_EQ(found.cloud.point_step, filtered_step);
  EXPECT_EQ(found.cloud.row_step, points.size());
  ASSERT_EQ(found.cloud.fields.size(), 6U);
  EXPECT_EQ(found.cloud.fields[0].name, "x");
  EXPECT_EQ(found.cloud.fields[5].name, "channel");
  EXPECT_EQ(found.cloud.fields[5].offset, 14U);
  EXPECT_EQ(found.cloud.fields[5].datatype, 4);
  EXPECT_EQ(Bytes(found.cloud.data.first, found.cloud.data.first + found.cloud.data.size), points);
  EXPECT_GE(found.cloud.data.first, bytes.data());
  EXPECT_LT(found.cloud.data.first, bytes.data() + bytes.size());
}

TEST(CloudCdr, TheBytesAreThoseOfTheSpecification) {
  const Bytes bytes = message({});
  const Bytes begin{0, 1, 0, 0, 7,   0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 'o', 's', 0,
                    0,                                     // up to four
                    1, 0, 0, 0,                            // height
                    0, 0, 0, 0,                            // width
                    6, 0, 0, 0,                            // fields
                    2, 0, 0, 0, 'x', 0, 0, 0, 0, 0, 0, 0,  // offset
                    7, 0, 0, 0,                            // type, up to four
                    1, 0, 0, 0,                            // count
                    2, 0, 0, 0, 'y', 0, 0, 0, 4};
  ASSERT_GT(bytes.size(), begin.size());
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin.size())), begin);
}

TEST(CloudCdr, WhatIsCutOffIsRefused) {
  const Bytes whole = message(Bytes(std::size_t{3} * filtered_step, 1));
  CloudMessage found;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // Memory of its own, so that the sanitizer sees a read behind its end.
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(read(plain(cut), found), std::invalid_argument) << size;
  }
}

TEST(CloudCdr, OtherEncapsulationsAreRefused) {
  Bytes bytes = message({});
  CloudMessage found;
  for (const std::uint8_t kind : {0, 2, 3, 6, 7}) {
    bytes[1] = kind;
    EXPECT_THROW(read(plain(bytes), found), std::invalid_argument);
  }
}

TEST(CloudCdr, NoAlteredMessageIsReadBeyondItsEnd) {
  std::mt19937 random(3);
  const Bytes whole = message(Bytes(std::size_t{8} * filtered_step, 2));
  const std::size_t described = whole.size() - std::size_t{8} * filtered_step;
  int read_well = 0;
  unsigned sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes altered = whole;
    const std::size_t at = 4 + random() % (described - 8);
    std::uint32_t value = random() % 3 == 0 ? std::numeric_limits<std::uint32_t>::max() : random();
    if (random() % 2 == 0) value %= 300;
    std::memcpy(altered.data() + at, &value, 1 + random() % 4);
    CloudMessage found;
    try {
      read(plain(altered), found);
    } catch (const std::invalid_argument&) {
      continue;
    }
    ++read_well;
    sum += sum_of(found.cloud);
  }
  EXPECT_GT(read_well, 1000);
  EXPECT_GT(sum, 0U);
}

class Checked : public testing::Test {
 protected:
  Checked() {
    cloud_.height = 1;
    cloud_.width = 2;
    cloud_.point_step = 32;
    cloud_.data = plain(bytes_);
    cloud_.fields = {{"x", 0, 7, 1},
                     {"y", 4, 7, 1},
                     {"z", 8, 7, 1},
                     {"intensity", 12, 2, 1},
                     {"return_type", 13, 2, 1},
                     {"channel", 14, 4, 1},
                     {"azimuth", 16, 7, 1},
                     {"elevation", 20, 7, 1},
                     {"distance", 24, 7, 1},
                     {"time_stamp", 28, 6, 1}};
  }

  Bytes bytes_ = Bytes(64);
  PlainCloud cloud_;
};

TEST_F(Checked, KnowsBothFormats) {
  EXPECT_EQ(check(cloud_), Format::xyzircaedt);
  cloud_.fields[3] = {"intensity", 28, 7, 1};
  cloud_.fields[5].name = "ring";
  EXPECT_EQ(check(cloud_), Format::xyziradrt);
}

TEST_F(Checked, RefusesFieldsOutsideThePointThatTheFilterDoesNotRead) {
  for (const PlainField& bad : std::vector<PlainField>{{"time_stamp", 29, 6, 1},
                                                       {"time_stamp", 28, 6, 2},
                                                       {"time_stamp", 0xffffffff, 6, 1},
                                                       {"time_stamp", 0, 6, 0xffffffff},
                                                       {"time_stamp", 28, 0, 1},
                                                       {"time_stamp", 28, 9, 1}}) {
    cloud_.fields.back() = bad;
    EXPECT_THROW(check(cloud_), std::invalid_argument);
  }
}

TEST_F(Checked, RefusesMorePointsThanBytes) {
  cloud_.width = 3;
  EXPECT_THROW(check(cloud_), std::invalid_argument);
  cloud_.width = 0x10000;
  cloud_.height = 0x10000;
  EXPECT_THROW(check(cloud_), std::invalid_argument);
}

TEST(Versions, OnlyThoseThereAre) {
  EXPECT_THROW(make_filter("fast"), std::invalid_argument);
  EXPECT_THROW(make_filter(""), std::invalid_argument);
}

}  // namespace
}  // namespace nodes
