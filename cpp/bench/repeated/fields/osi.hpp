// SPDX-License-Identifier: Apache-2.0
// What OSI's repeated fields have in common: its small messages as plain structs, in and out of the
// classes of every contender, and the contenders that all of them have.
#pragma once

#include "bench/repeated/contenders/columns.hpp"
#include "bench/repeated/contenders/columns_reduced.hpp"
#include "bench/repeated/contenders/flatbuffers.hpp"
#include "bench/repeated/contenders/floors.hpp"
#include "bench/repeated/contenders/google_protobuf.hpp"
#include "bench/repeated/contenders/wirecost_rows.hpp"
#include "osi3/osi_common.pb.h"
#include "osi3/osi_featuredata.protobuf.hpp"
#include "osi3/osi_sensorview.protobuf.hpp"
#include "osi_table_generated.h"

namespace wirecost::bench::repeated {

namespace google_osi = ::osi3;
namespace our_osi = ::wire::osi3;
namespace flat_osi = ::osi_table;

struct Spherical {
  double distance = 0, azimuth = 0, elevation = 0;  // metres, radians
};

inline Spherical spherical(const google_osi::Spherical3d& from) {
  return {from.distance(), from.azimuth(), from.elevation()};
}
inline Spherical spherical(const Optional<our_osi::Spherical3d>& held) {
  const our_osi::Spherical3d& from = held.or_default();
  return {from.distance.value_or(0), from.azimuth.value_or(0), from.elevation.value_or(0)};
}
inline Spherical spherical(const flat_osi::Spherical3d* from) {
  if (from == nullptr) return {};
  return {from->distance(), from->azimuth(), from->elevation()};
}
inline std::uint64_t identifier(const Optional<our_osi::Identifier>& held) {
  return held.or_default().value.value_or(0);
}
inline std::uint64_t identifier(const flat_osi::Identifier* from) {
  return from == nullptr ? 0 : from->value();
}

inline void set(google_osi::Spherical3d& to, const Spherical& from) {
  to.set_distance(from.distance), to.set_azimuth(from.azimuth), to.set_elevation(from.elevation);
}
inline void set(Optional<our_osi::Spherical3d>& held, const Spherical& from) {
  our_osi::Spherical3d& to = held.touch();
  to.distance = from.distance, to.azimuth = from.azimuth, to.elevation = from.elevation;
}
inline void set(Optional<our_osi::Identifier>& held, std::uint64_t id) { held.touch().value = id; }

inline auto make(flatbuffers::FlatBufferBuilder& out, const Spherical& from) {
  return flat_osi::CreateSpherical3d(out, from.distance, from.azimuth, from.elevation);
}
inline auto make_identifier(flatbuffers::FlatBufferBuilder& out, std::uint64_t id) {
  return flat_osi::CreateIdentifier(out, id);
}

/// The generated functions of a message and its view.
template <class Message, class View_>
struct OsiFunctions {
  using View = View_;
  static std::size_t encoded_size(const Message& m) { return our_osi::protobuf::encoded_size(m); }
  static auto encode(const Message& m, std::span<std::byte> out) {
    return our_osi::protobuf::encode(m, out);
  }
  static auto decode(std::span<const std::byte> in, Message& m) {
    return our_osi::protobuf::decode(in, m);
  }
  static auto view(std::span<const std::byte> in, View& m) {
    return our_osi::protobuf::view(in, m);
  }
};

template <class Repeated>
Contenders osi_contenders() {
  Contenders all;
  using Wirecost = typename Repeated::Wirecost;
  add_google_protobuf<Repeated>(all);
  add_wirecost_rows<Repeated, OsiFunctions<typename Wirecost::Message, typename Wirecost::View>>(
      all, "wirecost-protobuf", "protobuf");
  add_flatbuffers<Repeated>(all);
  add_columns<Repeated>(all);
  add_columns_reduced<Repeated>(all);
  add_floors<Repeated>(all);
  return all;
}

}  // namespace wirecost::bench::repeated
