// SPDX-License-Identifier: Apache-2.0
// Columns as integers with a scale, as small as the stated errors allow.
#pragma once

#include <vector>

#include "wirecost/codec/columns.hpp"

namespace wirecost::compiled {

/// The errors that are stated and checked: 1 mm of range, 0.1 dB of signal.
inline constexpr double range_error = 1e-3;  // metres
inline constexpr columns::Reduction of_range{columns::Reduce::error, range_error};
inline constexpr columns::Reduction of_flight{columns::Reduce::error,
                                              2 * range_error / 299'792'458.0};  // seconds
inline constexpr columns::Reduction of_signal{columns::Reduce::error, 0.1};      // decibel
inline constexpr columns::Reduction of_angle{columns::Reduce::automatic};        // without loss

/// How wide a column gets follows from all its values, so they are gathered first.
class ReducedReflections : public ReflectionColumns<std::vector<double>> {
 public:
  void begin(Stream& stream, std::size_t count) {
    start_ = stream.open(columns_field_of(field::lidar_reflection));
    signal_strength_.resize(count);
    time_of_flight_.resize(count);
    next_ = 0;
  }
  void end(Stream& stream) {
    table_.begin(static_cast<std::uint32_t>(next_));
    table_.announce(ReflectionTable::signal_strength, std::span<const double>(signal_strength_),
                    of_signal);
    table_.announce(ReflectionTable::time_of_flight, std::span<const double>(time_of_flight_),
                    of_flight);
    if (table_.place(stream.buffer())) throw std::length_error("reflections beyond 2 GiB");
    stream.close(start_);
  }
};

class ReducedDetections : public DetectionColumns<std::vector<double>> {
 public:
  void begin(Stream& stream, std::size_t count) {
    start_ = stream.open(columns_field_of(field::lidar_detection));
    for (auto* column : {&distance_, &azimuth_, &elevation_}) column->resize(count);
    next_ = 0;
  }
  void end(Stream& stream) {
    const auto& position = DetectionTable::position;
    table_.begin(static_cast<std::uint32_t>(next_));
    table_.announce(position.distance, std::span<const double>(distance_), of_range);
    table_.announce(position.azimuth, std::span<const double>(azimuth_), of_angle);
    table_.announce(position.elevation, std::span<const double>(elevation_), of_angle);
    if (table_.place(stream.buffer())) throw std::length_error("detections beyond 2 GiB");
    stream.close(start_);
  }
};

struct ReducedCodec {
  using ViewWriter = compiled::ViewWriter<ReducedReflections>;
  using ViewReader = ColumnsReader<HolderReader>;
  using DataWriter = compiled::DataWriter<ReducedDetections>;
};

static_assert(Codec<ReducedCodec>);

}  // namespace wirecost::compiled
