// SPDX-License-Identifier: Apache-2.0
// OSMPDummySource: the highway's vehicles and a lidar's reflections, a sensor view every step.
#pragma once

#include <cmath>
#include <ranges>
#include <stdexcept>

#include "osmp/step_log.hpp"
#include "source/variables.hpp"
#include "wirecost/message/highway.hpp"
#include "wirecost/message/reflections.hpp"

namespace wirecost::fmu {

template <Codec C>
class Source : public Model {
 public:
  Source(Variables& variables, const std::string& identity)
      : variables_(variables),
        objects_(at_least(0, variables.integers[source::objects], "objects")),
        reflections_(at_least(0, variables.integers[source::reflections], "reflections")),
        is_varied_(variables.booleans[source::varied] != 0),
        varied_(is_varied_ ? reflections_ : 0,
                static_cast<std::uint64_t>(variables.integers[source::seed]),
                variables.booleans[source::distinct] && reflections_ != 0
                    ? reflections_
                    : VariedReflections::common_row),
        writer_(variables.booleans[source::published] ? Variant::published : Variant::same_work),
        log_(identity, variables.strings[source::log_folder]) {}

  std::string step(double current, double step_size) override {
    const double time = current + step_size;
    StepEvents events;
    events.mark(Event::start_source_calc, LoggedMessage::sensor_view);
    if (is_varied_)
      generate(time, varied_.frame(static_cast<std::uint64_t>(std::llround(current / step_size))));
    else
      generate(time, constant_reflections(highway::constant_reflection(), reflections_));
    events.mark(Event::start_osi_serialize, LoggedMessage::sensor_view);
    const Bytes message = writer_.serialize();
    const bool fits = variables_.set_message(source::sensor_view_out, message);
    variables_.booleans[source::valid] = fits;
    variables_.integers[source::count] = static_cast<int>(objects_);
    events.mark(Event::stop_osi_serialize, LoggedMessage::sensor_view);
    writer_.release();
    events.mark(Event::stop_release, LoggedMessage::sensor_view);
    log_.keep(events, time, {message.size(), 0});
    return fits ? "" : "the sensor view is 2 GiB or longer; send fewer reflections";
  }

  std::string finish() override { return log_.write(); }

 private:
  static std::size_t at_least(int least, int value, const char* name) {
    if (value < least)
      throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                  "; it must be at least " + std::to_string(least));
    return static_cast<std::size_t>(value);
  }

  void generate(double time, const auto& reflections) {
    const auto vehicle = [time](std::size_t i) { return highway::vehicle(i, time); };
    write(writer_, highway::header(time), highway::lidar(), reflections,
          std::views::iota(std::size_t{0}, objects_) | std::views::transform(vehicle));
  }

  Variables& variables_;
  std::size_t objects_, reflections_;
  bool is_varied_;
  VariedReflections varied_;
  typename C::ViewWriter writer_;
  StepLog log_;
};

}  // namespace wirecost::fmu
