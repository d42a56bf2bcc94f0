// SPDX-License-Identifier: Apache-2.0
// Decodes the messages of a file by everything in C++: `decoders CASES FOLDER` writes one file of
// results for each decoder. The files are those of cases.py.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bounds_msgs/bounded.api.hpp"
#include "bounds_msgs/bounded.cdr.hpp"
#include "bounds_msgs/bounded.protobuf.hpp"
#include "bounds_msgs/bounded.ros1.hpp"
#include "compile/codecs.hpp"
#include "conformance/chain.api.hpp"
#include "conformance/chain.protobuf.hpp"
#include "conformance/hollow/hollow.api.hpp"
#include "conformance/hollow/hollow.cdr.hpp"
#include "conformance/hollow/hollow.protobuf.hpp"
#include "conformance/hollow/hollow.ros1.hpp"
#include "conformance/parts/parts.api.hpp"
#include "conformance/parts/parts.cdr.hpp"
#include "conformance/parts/parts.protobuf.hpp"
#include "conformance/parts/parts.ros1.hpp"
#include "conformance/proto2/every_type_proto2.api.hpp"
#include "conformance/proto2/every_type_proto2.cdr.hpp"
#include "conformance/proto2/every_type_proto2.protobuf.hpp"
#include "conformance/proto2/every_type_proto2.ros1.hpp"
#include "conformance/proto3/every_type_proto3.api.hpp"
#include "conformance/proto3/every_type_proto3.cdr.hpp"
#include "conformance/proto3/every_type_proto3.protobuf.hpp"
#include "conformance/proto3/every_type_proto3.ros1.hpp"
#include "google/chain.pb.h"
#include "google/every_type_proto2.pb.h"
#include "google/every_type_proto3.pb.h"
#include "google/hollow.pb.h"
#include "google/parts.pb.h"

namespace {

using wirecost::test::Bytes;
using wirecost::test::exact;
using wirecost::test::text;

enum class Status : std::uint8_t { refused, accepted, seen, not_for_it, split, broken };

struct Result {
  Status status = Status::not_for_it;
  std::string content{};
};

// In the order of their files.
struct Results {
  Result holder, reused, utf8, view, api, google;
};

// One message: nullopt is the one that was just made.
using Input = std::optional<std::string_view>;

template <class Codec>
Result encoded(const typename Codec::Message& message) {
  std::vector<std::byte> buffer(Codec::size(message));
  const auto made = Codec::encode(message, buffer);
  if (made.error) return {Status::broken, std::string("not encoded: ") + made.error.what()};
  return {Status::accepted, text(made.bytes)};
}

template <class Codec>
Result decoded(const Input& in, typename Codec::Message& message,
               const wirecost::Limits& limits = {}) {
  if (in && Codec::decode(exact(*in), message, limits)) return {Status::refused};
  return encoded<Codec>(message);
}

template <class Codec>
void ours(const Input& in, Results& results) {
  typename Codec::Message fresh;
  typename Codec::Message strict;
  static typename Codec::Message kept;
  wirecost::Limits utf8;
  utf8.utf8 = true;
  results.holder = decoded<Codec>(in, fresh);
  results.utf8 = decoded<Codec>(in, strict, utf8);
  if (!in) return;
  results.reused = decoded<Codec>(in, kept);
  typename Codec::View view;
  const auto input = exact(*in);
  const auto error = Codec::view(input, view);
  results.view = {error.reason == wirecost::Reason::split_message ? Status::split
                  : error                                         ? Status::refused
                                                                  : Status::seen};
}

template <class Api>
Result by_api(const Input& in) {
  Api message;
  if (in) {
    const auto input = exact(*in);
    if (!message.ParseFromArray(input.data(), static_cast<int>(input.size())))
      return {Status::refused};
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

void write(std::ofstream& file, const Result& result) {
  const auto size = static_cast<std::uint32_t>(result.content.size());
  file.put(static_cast<char>(result.status));
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file.write(result.content.data(), size);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  google::protobuf::SetLogHandler(nullptr);
  std::ifstream file(words[1], std::ios::binary);
  const std::string cases{std::istreambuf_iterator<char>(file), {}};
  const std::string folder = std::string(words[2]) + "/";
  std::vector<std::ofstream> files;
  for (const char* name : {"holder", "reused", "utf8", "view", "api", "google-cpp"})
    files.emplace_back(folder + name, std::ios::binary);
  for (std::size_t at = 0; at < cases.size();) {
    const auto number = static_cast<unsigned char>(cases[at]);
    const auto wire = static_cast<unsigned char>(cases[at + 1]);
    std::uint32_t size = 0;
    std::memcpy(&size, cases.data() + at + 2, sizeof size);
    const std::string_view data(cases.data() + at + 6, size);
    at += 6 + size;
    Results results;
    decode(number, wire & 0x7FU, (wire & 0x80U) != 0 ? Input() : Input(data), results);
    const Result* const all[]{&results.holder, &results.reused, &results.utf8,
                              &results.view,   &results.api,    &results.google};
    for (std::size_t i = 0; i < files.size(); ++i) write(files[i], *all[i]);
  }
}
