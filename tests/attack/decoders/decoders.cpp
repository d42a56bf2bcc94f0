// SPDX-License-Identifier: Apache-2.0
// Decodes the messages of a file by everything in C++: `decoders CASES FOLDER` writes one file of
// results for each decoder.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "bounds_msgs/bounded.cdr.hpp"
#include "bounds_msgs/bounded.pb.cc"
#include "bounds_msgs/bounded.protobuf.hpp"
#include "bounds_msgs/bounded.ros1.hpp"
#include "bounds_msgs/part.pb.cc"
#include "conformance/chain.pb.cc"
#include "conformance/chain.protobuf.hpp"
#include "conformance/hollow/hollow.cdr.hpp"
#include "conformance/hollow/hollow.pb.cc"
#include "conformance/hollow/hollow.protobuf.hpp"
#include "conformance/hollow/hollow.ros1.hpp"
#include "conformance/parts/parts.cdr.hpp"
#include "conformance/parts/parts.pb.cc"
#include "conformance/parts/parts.protobuf.hpp"
#include "conformance/parts/parts.ros1.hpp"
#include "conformance/proto2/every_type_proto2.cdr.hpp"
#include "conformance/proto2/every_type_proto2.pb.cc"
#include "conformance/proto2/every_type_proto2.protobuf.hpp"
#include "conformance/proto2/every_type_proto2.ros1.hpp"
#include "conformance/proto3/every_type_proto3.cdr.hpp"
#include "conformance/proto3/every_type_proto3.pb.cc"
#include "conformance/proto3/every_type_proto3.protobuf.hpp"
#include "conformance/proto3/every_type_proto3.ros1.hpp"
#include "decoders.hpp"
#include "google/chain.pb.h"
#include "google/every_type_proto2.pb.h"
#include "google/every_type_proto3.pb.h"
#include "google/hollow.pb.h"
#include "google/parts.pb.h"
#include "wirecost/api/message.cc"

namespace {

using namespace decoders;

template <class Api>
Result by_api(const Input& in) {
  Api message;
  if (in) {
    const auto input = exact(*in);
    if (!message.ParseFromArray(input.data(), static_cast<int>(input.size())))
      return {Status::refused};
    message.DiscardUnknownFields();
  }
  std::string out;
  if (!message.SerializeToString(&out)) return {Status::refused};
  return {Status::accepted, out};
}

template <class Google>
Result by_google(const Input& in) {
  Google message;
  if (in && !message.ParseFromArray(in->data(), static_cast<int>(in->size())))
    return {Status::refused};
  if (!message.IsInitialized()) return {Status::refused};
  message.DiscardUnknownFields();
  std::string out;
  {
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return {Status::accepted, out};
}

WIRECOST_CODEC(Proto2Protobuf, ::wire::conformance::proto2, EveryType, protobuf);
WIRECOST_CODEC(Proto2Ros1, ::wire::conformance::proto2, EveryType, ros1);
WIRECOST_CODEC(Proto2Cdr, ::wire::conformance::proto2, EveryType, cdr);
WIRECOST_CODEC(Proto3Protobuf, ::wire::conformance::proto3, EveryType, protobuf);
WIRECOST_CODEC(Proto3Ros1, ::wire::conformance::proto3, EveryType, ros1);
WIRECOST_CODEC(Proto3Cdr, ::wire::conformance::proto3, EveryType, cdr);
WIRECOST_CODEC(HollowProtobuf, ::wire::conformance::hollow, Hollow, protobuf);
WIRECOST_CODEC(HollowRos1, ::wire::conformance::hollow, Hollow, ros1);
WIRECOST_CODEC(HollowCdr, ::wire::conformance::hollow, Hollow, cdr);
WIRECOST_CODEC(PartsProtobuf, ::wire::conformance::parts, Whole, protobuf);
WIRECOST_CODEC(PartsRos1, ::wire::conformance::parts, Whole, ros1);
WIRECOST_CODEC(PartsCdr, ::wire::conformance::parts, Whole, cdr);
WIRECOST_CODEC(ChainProtobuf, ::wire::conformance, Chain, protobuf);
WIRECOST_CODEC(BoundedProtobuf, ::wire::bounds_msgs, Bounded, protobuf);
WIRECOST_CODEC(BoundedRos1, ::wire::bounds_msgs, Bounded, ros1);
WIRECOST_CODEC(BoundedCdr, ::wire::bounds_msgs, Bounded, cdr);

struct NoClass {};

template <class Protobuf, class Ros1, class Cdr, class Api, class Google>
void message(unsigned wire, const Input& in, Results& results) {
  if (wire == 0) {
    ours<Protobuf>(in, results);
    results.api = by_api<Api>(in);
    if constexpr (!std::is_same_v<Google, NoClass>) results.google = by_google<Google>(in);
  } else if constexpr (!std::is_same_v<Ros1, NoClass>) {
    wire == 1 ? ours<Ros1>(in, results) : ours<Cdr>(in, results);
  }
}

// In the order of cases.py.
void decode(unsigned number, unsigned wire, const Input& in, Results& results) {
  namespace theirs = ::conformance;
  switch (number) {
    case 0:
      return message<Proto2Protobuf, Proto2Ros1, Proto2Cdr,
                     ::facade::conformance::proto2::EveryType, theirs::proto2::EveryType>(wire, in,
                                                                                          results);
    case 1:
      return message<Proto3Protobuf, Proto3Ros1, Proto3Cdr,
                     ::facade::conformance::proto3::EveryType, theirs::proto3::EveryType>(wire, in,
                                                                                          results);
    case 2:
      return message<HollowProtobuf, HollowRos1, HollowCdr, ::facade::conformance::hollow::Hollow,
                     theirs::hollow::Hollow>(wire, in, results);
    case 3:
      return message<PartsProtobuf, PartsRos1, PartsCdr, ::facade::conformance::parts::Whole,
                     theirs::parts::Whole>(wire, in, results);
    case 4:
      return message<ChainProtobuf, NoClass, NoClass, ::facade::conformance::Chain, theirs::Chain>(
          wire, in, results);
    default:
      return message<BoundedProtobuf, BoundedRos1, BoundedCdr, ::facade::bounds_msgs::Bounded,
                     NoClass>(wire, in, results);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  google::protobuf::SetLogHandler(nullptr);
  std::vector<Output> outputs;
  outputs.push_back({"holder", &Results::holder});
  outputs.push_back({"reused", &Results::reused});
  outputs.push_back({"utf8", &Results::utf8});
  outputs.push_back({"view", &Results::view});
  outputs.push_back({"api", &Results::api});
  outputs.push_back({"google-cpp", &Results::google});
  run(words[1], words[2], std::move(outputs), decode);
}
