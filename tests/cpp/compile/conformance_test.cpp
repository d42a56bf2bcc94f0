// SPDX-License-Identifier: Apache-2.0
// The golden vectors through the generated C++.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "compile/codecs.hpp"
#include "conformance/chain.protobuf.hpp"
#include "conformance/proto2/every_type_proto2.cdr.hpp"
#include "conformance/proto2/every_type_proto2.protobuf.hpp"
#include "conformance/proto2/every_type_proto2.ros1.hpp"
#include "conformance/proto3/every_type_proto3.cdr.hpp"
#include "conformance/proto3/every_type_proto3.protobuf.hpp"
#include "conformance/proto3/every_type_proto3.ros1.hpp"
#include "rsb/protocol/notification.cdr.hpp"
#include "rsb/protocol/notification.protobuf.hpp"
#include "rsb/protocol/notification.ros1.hpp"

namespace {

using wirecost::Error;
using namespace wirecost::test;

struct Outcome {
  Error decoded;
  Error viewed;
  std::string again;  // what was read, written again
};

template <class Codec>
Outcome through(const std::string& in) {
  const auto input = exact(in);
  typename Codec::Message message;
  typename Codec::View view;
  Outcome outcome{Codec::decode(input, message), Codec::view(input, view), {}};
  if (!outcome.decoded) outcome.again = encoded<Codec>(message);
  return outcome;
}

WIRECOST_CODEC(ChainProtobuf, ::wire::conformance, Chain, protobuf);
#define WIRECOST_WIRES(name, space, message)                \
  WIRECOST_CODEC(name##Protobuf, space, message, protobuf); \
  WIRECOST_CODEC(name##Ros1, space, message, ros1);         \
  WIRECOST_CODEC(name##Cdr, space, message, cdr)
WIRECOST_WIRES(Proto2, ::wire::conformance::proto2, EveryType);
WIRECOST_WIRES(Proto3, ::wire::conformance::proto3, EveryType);
WIRECOST_WIRES(Notification, ::wire::rsb::protocol, Notification);

const std::map<std::string, std::function<Outcome(const std::string&)>> codecs{
    {"conformance.Chain protobuf", through<ChainProtobuf>},
    {"conformance.proto2.EveryType protobuf", through<Proto2Protobuf>},
    {"conformance.proto2.EveryType ros1", through<Proto2Ros1>},
    {"conformance.proto2.EveryType cdr", through<Proto2Cdr>},
    {"conformance.proto3.EveryType protobuf", through<Proto3Protobuf>},
    {"conformance.proto3.EveryType ros1", through<Proto3Ros1>},
    {"conformance.proto3.EveryType cdr", through<Proto3Cdr>},
    {"rsb.protocol.Notification protobuf", through<NotificationProtobuf>},
    {"rsb.protocol.Notification ros1", through<NotificationRos1>},
    {"rsb.protocol.Notification cdr", through<NotificationCdr>},
};

struct Vector {
  std::string codec;
  std::string before;
  std::string after;
};

std::vector<Vector> vectors(const std::string& folder) {
  std::vector<Vector> found;
  for (const auto& file : std::filesystem::directory_iterator(WIRECOST_CONFORMANCE "/" + folder)) {
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      std::istringstream words(line);
      std::string message, wire, before, after;
      words >> message >> wire >> before >> after;
      found.push_back({message + " " + wire, before, after.empty() ? before : after});
    }
  }
  return found;
}

TEST(Conformance, VectorsAreWrittenAsTheyAreRead) {
  const auto all = vectors("vectors");
  ASSERT_GT(all.size(), 100U);
  for (const Vector& vector : all) {
    const Outcome outcome = codecs.at(vector.codec)(from_hex(vector.before));
    EXPECT_FALSE(outcome.decoded) << outcome.decoded.what() << "\n" << vector.before;
    EXPECT_EQ(to_hex(outcome.again), vector.after);
    if (vector.before == vector.after) EXPECT_FALSE(outcome.viewed) << outcome.viewed.what();
  }
}

TEST(Conformance, WhatIsNoMessageIsRefused) {
  const auto all = vectors("refused");
  ASSERT_GT(all.size(), 20U);
  for (const Vector& vector : all) {
    const Outcome outcome = codecs.at(vector.codec)(from_hex(vector.before));
    EXPECT_TRUE(outcome.decoded) << vector.codec << " " << vector.before;
    EXPECT_TRUE(outcome.viewed) << vector.codec << " " << vector.before;
  }
}

}  // namespace
