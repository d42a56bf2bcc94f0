// SPDX-License-Identifier: Apache-2.0
// The source's variables: OSMPDummySource's own, and what the benchmark sets.
#include "source/variables.hpp"

namespace wirecost::fmu::source {
namespace {

using enum Causality;
using enum Type;

constexpr Binary binaries[] = {{"OSMPSensorViewOut", "SensorView", sensor_view_out, output}};

constexpr Scalar scalars[] = {
    {"valid", boolean, valid, output, "false", "whether the outputs hold a message"},
    {"count", integer, count, output, "0", "number of moving objects sent"},
    {"reflections", integer, reflections, parameter, "829440", "lidar reflections a step"},
    {"objects", integer, objects, parameter, "10", "moving objects a step"},
    {"varied", boolean, varied, parameter, "true",
     "reflections differ from ray to ray and step to step; else all are the report's"},
    {"distinct", boolean, distinct, parameter, "false",
     "no two varied reflections of a step are alike; else there are 256 different ones"},
    {"seed", integer, seed, parameter, "1", "seed of varied reflections"},
    {"published", boolean, published, parameter, "false",
     "send what the performance report's code sent, as it did"},
    {"log_folder", string, log_folder, parameter, "",
     "folder for the performance log; empty: the temporary folder"}};

}  // namespace

constinit const Declaration declaration{"source", "OSMP dummy source of sensor views", binaries,
                                        scalars};

void initialize(Variables&) {}

}  // namespace wirecost::fmu::source
