// SPDX-License-Identifier: Apache-2.0
// The trace player's variables.
#include "player/variables.hpp"

namespace wirecost::fmu::player {
namespace {

using enum Causality;
using enum Type;

constexpr Binary binaries[] = {{"OSMPSensorViewOut", "SensorView", sensor_view_out, output}};

constexpr Scalar scalars[] = {
    {"valid", boolean, valid, output, "false", "whether the outputs hold a message"},
    {"count", integer, count, output, "0", "number of the frame sent, from 1"},
    {"frames", integer, frames, output, "0", "frames in the trace"},
    {"trace", string, trace, parameter, "", "an .osi file of sensor views, one sent each step"},
    {"loop", boolean, loop, parameter, "true", "start again behind the last frame; else be silent"},
    {"published", boolean, published, parameter, "false",
     "open the file, parse and serialize again at each step, as the performance report's player"},
    {"log_folder", string, log_folder, parameter, "",
     "folder for the performance log; empty: the temporary folder"}};

}  // namespace

constinit const Declaration declaration{"player", "OSMP player of OSI trace files", binaries,
                                        scalars};

void initialize(Variables&) {}

}  // namespace wirecost::fmu::player
