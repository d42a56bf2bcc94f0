// SPDX-License-Identifier: Apache-2.0
// osi3.RadarDetection with the fields that a radar fills.
#include "bench/repeated/fields/osi.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "osi3/osi_featuredata.columns.hpp"
#include "osi3/osi_featuredata.pb.h"

namespace wirecost::bench::repeated {
namespace {

struct Detection {
  double existence_probability = 0;
  std::uint64_t object_id = 0;
  Spherical position, position_rmse;
  double radial_velocity = 0, radial_velocity_rmse = 0;  // metres per second
  double rcs = 0;                                        // dB m²
  double snr = 0;                                        // decibel
  double point_target_probability = 0;
  std::int32_t classification = 0;
};

using Table = our_osi::RadarDetectionColumns;

struct Detections {
  using Element = Detection;
  using Table = repeated::Table;
  static constexpr const char* name = "radar-detection";
  static constexpr const char* message = "osi3.RadarDetectionData";
  static constexpr std::uint32_t rows = 2;
  static constexpr std::tuple fields{
      WIRECOST_FIELD(existence_probability, existence_probability, of_share),
      WIRECOST_FIELD(object_id, object_id.value, lossless),
      WIRECOST_FIELD(position.distance, position.distance, of_length),
      WIRECOST_FIELD(position.azimuth, position.azimuth, of_angle),
      WIRECOST_FIELD(position.elevation, position.elevation, of_angle),
      WIRECOST_FIELD(position_rmse.distance, position_rmse.distance, of_length),
      WIRECOST_FIELD(position_rmse.azimuth, position_rmse.azimuth, of_angle),
      WIRECOST_FIELD(position_rmse.elevation, position_rmse.elevation, of_angle),
      WIRECOST_FIELD(radial_velocity, radial_velocity, of_speed),
      WIRECOST_FIELD(radial_velocity_rmse, radial_velocity_rmse, of_speed),
      WIRECOST_FIELD(rcs, rcs, of_level),
      WIRECOST_FIELD(snr, snr, of_level),
      WIRECOST_FIELD(point_target_probability, point_target_probability, of_share),
      WIRECOST_FIELD(classification, classification, lossless)};

  struct Google {
    using Message = google_osi::RadarDetectionData;
    static auto& rows(Message& m) { return *m.mutable_detection(); }
    static auto& add(Message& m) { return *m.add_detection(); }
    static void fill(const Detection& from, google_osi::RadarDetection& to) {
      to.set_existence_probability(from.existence_probability);
      to.mutable_object_id()->set_value(from.object_id);
      set(*to.mutable_position(), from.position);
      set(*to.mutable_position_rmse(), from.position_rmse);
      to.set_radial_velocity(from.radial_velocity);
      to.set_radial_velocity_rmse(from.radial_velocity_rmse);
      to.set_rcs(from.rcs);
      to.set_snr(from.snr);
      to.set_point_target_probability(from.point_target_probability);
      to.set_classification(static_cast<google_osi::DetectionClassification>(from.classification));
    }
    static Detection value(const google_osi::RadarDetection& from) {
      return {from.existence_probability(),
              from.object_id().value(),
              spherical(from.position()),
              spherical(from.position_rmse()),
              from.radial_velocity(),
              from.radial_velocity_rmse(),
              from.rcs(),
              from.snr(),
              from.point_target_probability(),
              from.classification()};
    }
  };

  struct Wirecost {
    using Message = our_osi::RadarDetectionData;
    using View = our_osi::protobuf::RadarDetectionDataView;
    static auto& rows(auto& m) { return m.detection; }
    static void fill(const Detection& from, our_osi::RadarDetection& to) {
      to.existence_probability = from.existence_probability;
      set(to.object_id, from.object_id);
      set(to.position, from.position);
      set(to.position_rmse, from.position_rmse);
      to.radial_velocity = from.radial_velocity;
      to.radial_velocity_rmse = from.radial_velocity_rmse;
      to.rcs = from.rcs;
      to.snr = from.snr;
      to.point_target_probability = from.point_target_probability;
      to.classification = static_cast<our_osi::DetectionClassification>(from.classification);
    }
    static Detection value(const auto& from) {
      return {from.existence_probability.value_or(0),
              identifier(from.object_id),
              spherical(from.position),
              spherical(from.position_rmse),
              from.radial_velocity.value_or(0),
              from.radial_velocity_rmse.value_or(0),
              from.rcs.value_or(0),
              from.snr.value_or(0),
              from.point_target_probability.value_or(0),
              static_cast<std::int32_t>(from.classification.or_default())};
    }
  };

  struct Flat {
    using Message = flat_osi::RadarDetectionData;
    using Row = flat_osi::RadarDetection;
    static auto make(flatbuffers::FlatBufferBuilder& out, const Detection& from) {
      const auto object_id = make_identifier(out, from.object_id);
      const auto position = repeated::make(out, from.position);
      const auto position_rmse = repeated::make(out, from.position_rmse);
      return flat_osi::CreateRadarDetection(
          out, from.existence_probability, object_id, position, position_rmse, from.radial_velocity,
          from.radial_velocity_rmse, from.rcs, from.snr, from.point_target_probability, 0,
          static_cast<flat_osi::DetectionClassification>(from.classification));
    }
    static auto finish(flatbuffers::FlatBufferBuilder& out, auto rows) {
      return flat_osi::CreateRadarDetectionData(out, 0, rows);
    }
    static auto* rows(const Message& m) { return m.detection(); }
    static Detection value(const Row& from) {
      return {from.existence_probability(),
              identifier(from.object_id()),
              spherical(from.position()),
              spherical(from.position_rmse()),
              from.radial_velocity(),
              from.radial_velocity_rmse(),
              from.rcs(),
              from.snr(),
              from.point_target_probability(),
              static_cast<std::int32_t>(from.classification())};
    }
  };
};

}  // namespace

RepeatedField radar_detection() { return describe<Detections>(&osi_contenders<Detections>); }

}  // namespace wirecost::bench::repeated
