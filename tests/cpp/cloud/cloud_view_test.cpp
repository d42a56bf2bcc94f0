// SPDX-License-Identifier: Apache-2.0
// Messages that lie: refused in one line, never read beyond their bytes.
#include <gtest/gtest.h>

#include "cloud/area/area.hpp"
#include "cloud/ring/filter.hpp"
#include "cloud/ring/in_place.hpp"
#include "clouds.hpp"

namespace wirecost::cloud::test {
namespace {

std::string refusal(const CloudView& cloud) {
  std::string message;
  try {
    points(cloud);
    ring_layout(cloud);
  } catch (const std::invalid_argument& error) {
    message = error.what();
  }
  EXPECT_EQ(message.find('\n'), message.npos);
  return message;
}

TEST(CloudView, LiesAreNamed) {
  const Message message = Message::of(std::vector<RingPoint>(10));
  const CloudView good = message.view;
  EXPECT_EQ(refusal(good), "");
  CloudView cloud = good;
  cloud.width = 11;
  EXPECT_NE(refusal(cloud).find("11 points of 32 bytes are announced, but data has 320"),
            std::string::npos);
  cloud = good;
  cloud.width = cloud.height = cloud.row_step = 0xffff'ffff;
  cloud.point_step = 1;
  EXPECT_NE(refusal(cloud).find("are announced"), std::string::npos);
  cloud = good;
  cloud.point_step = 0;
  EXPECT_NE(refusal(cloud).find("point_step is 0"), std::string::npos);
  cloud = good;
  cloud.height = 2;
  cloud.width = 5;
  EXPECT_NE(refusal(cloud).find("row_step 320"), std::string::npos);
  cloud.row_step = 160;
  EXPECT_EQ(refusal(cloud), "");
  cloud.big_endian = true;
  EXPECT_NE(refusal(cloud).find("is_bigendian"), std::string::npos);
  cloud = good;
  cloud.point_step = 27;  // distance does not fit any more
  EXPECT_NE(refusal(cloud).find("no field distance"), std::string::npos);
  cloud = good;
  cloud.fields = {};
  EXPECT_NE(refusal(cloud).find("no field x"), std::string::npos);
}

TEST(CloudView, FieldsOfOtherTypesOrPlacesAreNotTaken) {
  auto fields = ring_fields;
  const Message message = Message::of(std::vector<RingPoint>(1));
  CloudView cloud = message.view;
  fields[6].type = Type::f64;
  cloud.fields = fields;
  EXPECT_NE(refusal(cloud).find("no field azimuth"), std::string::npos);
  fields = ring_fields;
  fields[6].offset = 0xffff'fffe;
  EXPECT_NE(refusal(cloud).find("no field azimuth"), std::string::npos);
  fields = ring_fields;
  fields[6].count = 3;
  EXPECT_NE(refusal(cloud).find("no field azimuth"), std::string::npos);
}

TEST(CloudView, AnyDescriptionOfAnyBytesIsSafe) {
  std::mt19937 random(4);
  const std::array<std::uint32_t, 12> odd{0, 1, 2, 3, 13, 31, 32, 33, 40, 255, 65536, 0xffff'ffff};
  const auto number = [&] { return odd[random() % odd.size()]; };
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> data(random() % 700);
    for (auto& byte : data) byte = static_cast<std::byte>(random());
    auto fields = random() % 2 == 0 ? ring_fields : older_fields;
    for (auto& field : fields)
      if (random() % 16 == 0) field.offset = number();
    if (random() % 8 == 0) fields.resize(random() % fields.size());
    const CloudView cloud{random() % 2 == 0 ? 1 : number(),
                          number(),
                          fields,
                          random() % 16 == 0,
                          number(),
                          number(),
                          data};
    try {
      RingFilter filter({});
      const auto kept = filter(cloud);
      ASSERT_EQ(ring_in_place(cloud, {}), std::vector(kept.begin(), kept.end()));
      ++read;
    } catch (const std::invalid_argument&) {
      ASSERT_THROW(ring_in_place(cloud, {}), std::invalid_argument);
    }
    try {
      const PlanePoints plane(cloud);
      float sum = 0;
      for (std::size_t i = 0; i < plane.size(); ++i) sum += plane[i].x + plane[i].y;
      ASSERT_TRUE(sum == sum || sum != sum);
    } catch (const std::invalid_argument&) {
      SUCCEED();
    }
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace wirecost::cloud::test
