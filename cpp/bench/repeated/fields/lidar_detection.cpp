// SPDX-License-Identifier: Apache-2.0
// osi3.LidarDetection with the fields that a lidar fills.
#include "bench/repeated/fields/osi.hpp"
#include "bench/repeated/repeated_fields.hpp"
#include "osi3/osi_featuredata.columns.hpp"
#include "osi3/osi_featuredata.pb.h"

namespace wirecost::bench::repeated {
namespace {

struct Detection {
  double existence_probability = 0;
  std::uint64_t object_id = 0;
  Spherical position;
  double intensity = 0;  // percent
  std::int32_t classification = 0;
  std::uint64_t beam_id = 0;
};

using Table = our_osi::LidarDetectionColumns;

struct Detections {
  using Element = Detection;
  using Table = repeated::Table;
  static constexpr const char* name = "lidar-detection";
  static constexpr const char* message = "osi3.LidarDetectionData";
  static constexpr std::uint32_t rows = 2;
  static constexpr std::tuple fields{
      WIRECOST_FIELD(existence_probability, existence_probability, of_share),
      WIRECOST_FIELD(object_id, object_id.value, lossless),
      WIRECOST_FIELD(position.distance, position.distance, of_length),
      WIRECOST_FIELD(position.azimuth, position.azimuth, of_angle),
      WIRECOST_FIELD(position.elevation, position.elevation, of_angle),
      WIRECOST_FIELD(intensity, intensity, of_percent),
      WIRECOST_FIELD(classification, classification, lossless),
      WIRECOST_FIELD(beam_id, beam_id.value, lossless)};

  struct Google {
    using Message = google_osi::LidarDetectionData;
    static auto& rows(Message& m) { return *m.mutable_detection(); }
    static auto& add(Message& m) { return *m.add_detection(); }
    static void fill(const Detection& from, google_osi::LidarDetection& to) {
      to.set_existence_probability(from.existence_probability);
      to.mutable_object_id()->set_value(from.object_id);
      set(*to.mutable_position(), from.position);
      to.set_intensity(from.intensity);
      to.set_classification(static_cast<google_osi::DetectionClassification>(from.classification));
      to.mutable_beam_id()->set_value(from.beam_id);
    }
    static Detection value(const google_osi::LidarDetection& from) {
      return {from.existence_probability(), from.object_id().value(),
              spherical(from.position()),   from.intensity(),
              from.classification(),        from.beam_id().value()};
    }
  };

  struct Wirecost {
    using Message = our_osi::LidarDetectionData;
    using View = our_osi::protobuf::LidarDetectionDataView;
    static auto& rows(auto& m) { return m.detection; }
    static void fill(const Detection& from, our_osi::LidarDetection& to) {
      to.existence_probability = from.existence_probability;
      set(to.object_id, from.object_id);
      set(to.position, from.position);
      to.intensity = from.intensity;
      to.classification = static_cast<our_osi::DetectionClassification>(from.classification);
      set(to.beam_id, from.beam_id);
    }
    static Detection value(const auto& from) {
      return {from.existence_probability.value_or(0),
              identifier(from.object_id),
              spherical(from.position),
              from.intensity.value_or(0),
              static_cast<std::int32_t>(from.classification.or_default()),
              identifier(from.beam_id)};
    }
  };

  struct Flat {
    using Message = flat_osi::LidarDetectionData;
    using Row = flat_osi::LidarDetection;
    static auto make(flatbuffers::FlatBufferBuilder& out, const Detection& from) {
      const auto object_id = make_identifier(out, from.object_id);
      const auto position = repeated::make(out, from.position);
      const auto beam_id = make_identifier(out, from.beam_id);
      flat_osi::LidarDetectionBuilder row(out);
      row.add_existence_probability(from.existence_probability);
      row.add_object_id(object_id);
      row.add_position(position);
      row.add_intensity(from.intensity);
      row.add_classification(static_cast<flat_osi::DetectionClassification>(from.classification));
      row.add_beam_id(beam_id);
      return row.Finish();
    }
    static auto finish(flatbuffers::FlatBufferBuilder& out, auto rows) {
      return flat_osi::CreateLidarDetectionData(out, 0, rows);
    }
    static auto* rows(const Message& m) { return m.detection(); }
    static Detection value(const Row& from) {
      return {from.existence_probability(),
              identifier(from.object_id()),
              spherical(from.position()),
              from.intensity(),
              static_cast<std::int32_t>(from.classification()),
              identifier(from.beam_id())};
    }
  };
};

}  // namespace

RepeatedField lidar_detection() { return describe<Detections>(&osi_contenders<Detections>); }

}  // namespace wirecost::bench::repeated
