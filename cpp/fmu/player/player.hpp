// SPDX-License-Identifier: Apache-2.0
// Plays a trace file: each step sends the next frame, from where it lies in the mapped file. What a
// frame's bytes mean is between the trace and whoever receives it.
#pragma once

#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "osmp/step_log.hpp"
#include "player/variables.hpp"
#include "wirecost/trace/mapped_trace.hpp"

namespace wirecost::fmu {

/// A player that sends frames as they are, whatever wire they are on.
struct AsTheyAre {};

/// `Republish` is what the published player did with each frame: parse, serialize, release.
template <class Republish>
class Player : public Model {
 public:
  Player(Variables& variables, const std::string& identity)
      : variables_(variables),
        trace_(variables.strings[player::trace]),
        is_published_(variables.booleans[player::published] != 0),
        log_(identity, variables.strings[player::log_folder]) {
    variables_.integers[player::frames] = static_cast<int>(trace_.size());
  }

  std::string step(double current, double step_size) override {
    const bool silent = next_ == trace_.size() && variables_.booleans[player::loop] == 0;
    if (silent) return send({}, 0);
    const std::size_t index = next_ % trace_.size();
    const double time = current + step_size;
    StepEvents events;
    events.mark(Event::start_source_calc, LoggedMessage::sensor_view);
    Bytes message = trace_[index];
    std::string problem;
    if constexpr (republishes) {
      if (is_published_) problem = open_again(index);
    }
    events.mark(Event::start_osi_serialize, LoggedMessage::sensor_view);
    if constexpr (republishes) {
      if (is_published_ && problem.empty()) message = republish_.serialize();
    }
    if (problem.empty()) problem = send(message, index + 1);
    events.mark(Event::stop_osi_serialize, LoggedMessage::sensor_view);
    if constexpr (republishes) {
      if (is_published_) republish_.release();
    }
    events.mark(Event::stop_release, LoggedMessage::sensor_view);
    log_.keep(events, time, {message.size(), 0});
    next_ = index + 1;
    return problem;
  }

  std::string finish() override { return log_.write(); }

 private:
  static constexpr bool republishes = !std::is_same_v<Republish, AsTheyAre>;

  std::string send(Bytes message, std::size_t number) {
    const bool fits = variables_.set_message(player::sensor_view_out, message);
    variables_.booleans[player::valid] = fits && !message.empty();
    variables_.integers[player::count] = static_cast<int>(number);
    return fits ? "" : trace_.path() + ": a frame is 2 GiB or longer, more than OSMP can carry";
  }

  /// As the published player did at each step.
  std::string open_again(std::size_t index) {
    std::ifstream file(trace_.path(), std::ios::binary);
    read_.resize(trace_[index].size());
    file.seekg(static_cast<std::streamoff>(trace_.offset(index)));
    file.read(read_.data(), static_cast<std::streamsize>(read_.size()));
    const bool parsed = file.good() && republish_.parse(std::as_bytes(std::span(read_)));
    return parsed ? "" : trace_.path() + ": frame " + std::to_string(index) + " cannot be parsed";
  }

  Variables& variables_;
  MappedTrace trace_;
  bool is_published_;
  std::vector<char> read_;
  [[no_unique_address]] Republish republish_;
  std::size_t next_ = 0;
  StepLog log_;
};

}  // namespace wirecost::fmu
