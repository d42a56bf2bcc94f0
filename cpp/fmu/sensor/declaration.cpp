// SPDX-License-Identifier: Apache-2.0
// The sensor's variables as in OSMPDummySensor, and its configuration handshake.
#include <array>
#include <cstdint>

#include "sensor/variables.hpp"

namespace wirecost::fmu::sensor {
namespace {

using enum Causality;
using enum Type;

constexpr Binary binaries[] = {
    {"OSMPSensorViewIn", "SensorView", sensor_view_in, input},
    {"OSMPSensorDataOut", "SensorData", sensor_data_out, output},
    {"OSMPSensorViewInConfigRequest", "SensorViewConfiguration", config_request,
     calculated_parameter},
    {"OSMPSensorViewInConfig", "SensorViewConfiguration", config, parameter}};

constexpr Scalar scalars[] = {
    {"valid", boolean, valid, output, "false", "whether the outputs hold a message"},
    {"count", integer, count, output, "0", "number of objects detected"},
    {"read_sum", integer, read_sum, output, "0",
     "of all reflections that were read, if read_all is set (sensor/read_sum.hpp)"},
    {"nominalrange", real, nominal_range, parameter, "135.0", "nominal sensor range in metres"},
    {"published", boolean, published, parameter, "false",
     "do what the performance report's model did, its extra copies included"},
    {"read_all", boolean, read_all, parameter, "false",
     "read every field of every reflection, not only of the reflections that are detected"},
    {"log_folder", string, log_folder, parameter, "",
     "folder for the performance log; empty: the temporary folder"}};

/// The sensor view this sensor asks for, an osi3::SensorViewConfiguration in Protobuf.
constexpr std::array<std::uint8_t, WIRECOST_CONFIGURATION_SIZE> default_configuration{
#include "sensor_view_configuration.inc"
};

}  // namespace

constinit const Declaration declaration{"sensor", "OSMP dummy sensor: objects and lidar detections",
                                        binaries, scalars};

/// The request repeats the configuration that was set, or asks for the default.
void initialize(Variables& variables) {
  const Bytes set = variables.message(config);
  variables.set_message(config_request,
                        set.empty() ? std::as_bytes(std::span(default_configuration)) : set);
}

}  // namespace wirecost::fmu::sensor
