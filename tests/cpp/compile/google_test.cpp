// SPDX-License-Identifier: Apache-2.0
// Our codecs and façade beside Google's classes of the same schemas. Built twice: dropping unknown
// fields, and with WIRECOST_KEEPS_UNKNOWN keeping them.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <optional>

#include "compile/codecs.hpp"
#include "compile/random_message.hpp"
#include "conformance/proto2/every_type_proto2.pb.h"
#include "conformance/proto2/every_type_proto2.protobuf.hpp"
#include "conformance/proto3/every_type_proto3.pb.h"
#include "conformance/proto3/every_type_proto3.protobuf.hpp"
#include "google/every_type_proto2.pb.h"
#include "google/every_type_proto3.pb.h"

#ifdef WIRECOST_KEEPS_UNKNOWN
constexpr bool keeps_unknown = true;
#else
constexpr bool keeps_unknown = false;
#endif

namespace {

using namespace wirecost::test;
using wirecost::Reason;

constexpr unsigned rounds = 300;

WIRECOST_CODEC(Proto2Codec, ::WIRECOST_ROOT::conformance::proto2, EveryType, protobuf);
WIRECOST_CODEC(Proto3Codec, ::WIRECOST_ROOT::conformance::proto3, EveryType, protobuf);

struct Proto2 {
  using Codec = Proto2Codec;
  using Facade = WIRECOST_FACADE::conformance::proto2::EveryType;
  using Google = conformance::proto2::EveryType;
};
struct Proto3 {
  using Codec = Proto3Codec;
  using Facade = WIRECOST_FACADE::conformance::proto3::EveryType;
  using Google = conformance::proto3::EveryType;
};

std::string canonical(const google::protobuf::Message& message) {
  std::string made;
  {
    google::protobuf::io::StringOutputStream stream(&made);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    EXPECT_TRUE(message.SerializeToCodedStream(&out));
  }
  return made;
}

template <class Schema>
typename Schema::Google random_message(Random& random) {
  typename Schema::Google message;
  fill(message, random, 3);
  return message;
}

// What Google reads from `in` and writes again; nothing if it refuses `in`.
template <class Schema>
std::optional<std::string> through_google(const std::string& in) {
  typename Schema::Google message;
  if (!message.ParseFromString(in)) return std::nullopt;
  if (!keeps_unknown) message.DiscardUnknownFields();
  return canonical(message);
}

template <class Schema>
std::optional<std::string> through_codec(const std::string& in) {
  using Codec = typename Schema::Codec;
  typename Codec::Message message;
  if (Codec::decode(exact(in), message)) return std::nullopt;
  return encoded<Codec>(message);
}

template <class Schema>
std::optional<std::string> through_facade(const std::string& in) {
  typename Schema::Facade message;
  const auto input = exact(in);
  if (!message.ParseFromArray(input.data(), static_cast<int>(input.size()))) return std::nullopt;
  if (!keeps_unknown) message.DiscardUnknownFields();
  std::string out;
  EXPECT_TRUE(message.SerializeToString(&out));
  EXPECT_EQ(message.ByteSizeLong(), out.size());
  return out;
}

template <class Schema>
class BesideGoogle : public testing::Test {};
using Schemas = testing::Types<Proto2, Proto3>;
TYPED_TEST_SUITE(BesideGoogle, Schemas);

TYPED_TEST(BesideGoogle, BytesAreTheSame) {
  Random random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    const auto message = random_message<TypeParam>(random);
    const std::string bytes = canonical(message);
    ASSERT_EQ(through_codec<TypeParam>(bytes), bytes) << to_hex(bytes);
    ASSERT_EQ(through_facade<TypeParam>(bytes), bytes) << to_hex(bytes);
    typename TypeParam::Google parsed;
    ASSERT_TRUE(parsed.ParseFromString(*through_codec<TypeParam>(bytes)));
    ASSERT_EQ(canonical(parsed), canonical(message));
    typename TypeParam::Codec::View view;
    ASSERT_FALSE(TypeParam::Codec::view(exact(bytes), view)) << to_hex(bytes);
  }
}

TYPED_TEST(BesideGoogle, WhatOthersWriteIsReadAlike) {
  Random random(2);
  for (unsigned round = 0; round < rounds; ++round) {
    const auto message = random_message<TypeParam>(random);
    const std::string in = scrambled(canonical(message), *message.GetDescriptor(), random);
    const auto theirs = through_google<TypeParam>(in);
    ASSERT_TRUE(theirs) << to_hex(in);
    ASSERT_EQ(through_codec<TypeParam>(in), theirs) << to_hex(in);
    ASSERT_EQ(through_facade<TypeParam>(in), theirs) << to_hex(in);
    typename TypeParam::Codec::View view;
    const auto error = TypeParam::Codec::view(exact(in), view);
    ASSERT_TRUE(!error || error.reason == Reason::split_message) << error.what();
  }
}

TYPED_TEST(BesideGoogle, EveryBeginningIsReadOrRefusedAlike) {
  Random random(3);
  for (unsigned round = 0; round < 6; ++round) {
    const std::string bytes = canonical(random_message<TypeParam>(random));
    for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 2000); ++size) {
      const std::string in = bytes.substr(0, size);
      const auto theirs = through_google<TypeParam>(in);
      ASSERT_EQ(through_codec<TypeParam>(in), theirs) << to_hex(in);
      ASSERT_EQ(through_facade<TypeParam>(in), theirs) << to_hex(in);
    }
  }
}

TYPED_TEST(BesideGoogle, WhatBothReadOfDamagedBytesIsTheSame) {
  Random random(4);
  unsigned read = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    std::string in = canonical(random_message<TypeParam>(random)).substr(0, 300);
    for (unsigned n = 0; n < 2 && !in.empty(); ++n) {
      in[below(random, static_cast<unsigned>(in.size()))] = static_cast<char>(random());
    }
    const auto ours = through_codec<TypeParam>(in);
    ASSERT_EQ(through_facade<TypeParam>(in), ours) << to_hex(in);
    typename TypeParam::Codec::View view;
    static_cast<void>(TypeParam::Codec::view(exact(in), view));
    const auto theirs = through_google<TypeParam>(in);
    if (!ours || !theirs) continue;
    ++read;
    ASSERT_EQ(*ours, *theirs) << to_hex(in);
  }
  EXPECT_GT(read, 10U);
}

struct Case {
  const char* what;
  const char* hex;
};

// Required fields of proto2's EveryType.
constexpr const char* required = "a00100 aa0100 b20100 b80101 c201020801 ";

class Proto2Beside : public testing::TestWithParam<Case> {};

TEST_P(Proto2Beside, GoogleIsTheSame) {
  const std::string in = from_hex(std::string(required) + GetParam().hex);
  const auto theirs = through_google<Proto2>(in);
  ASSERT_TRUE(theirs);
  EXPECT_EQ(through_codec<Proto2>(in), theirs);
  EXPECT_EQ(through_facade<Proto2>(in), theirs);
}

INSTANTIATE_TEST_SUITE_P(
    ClosedEnums, Proto2Beside,
    testing::Values(Case{"single", "80014d"}, Case{"declared, then not", "800101 80014d"},
                    Case{"not, then declared", "80014d 800101"}, Case{"repeated", "c0034d c00301"},
                    Case{"packed", "8a0404 01 4d ac02"}, Case{"unpacked", "8804 4d"},
                    Case{"member of a oneof", "b80405 d0044d"}, Case{"map", "8a0505 0a0161 104d"},
                    Case{"map, declared", "8a0505 0a0161 1001"},
                    Case{"map, beside another", "8a0505 0a0161 1001 8a0505 0a0161 104d"},
                    Case{"map, value twice", "8a0507 0a0161 104d 1001"}));

}  // namespace
