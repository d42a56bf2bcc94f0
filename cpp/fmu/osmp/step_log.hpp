// SPDX-License-Identifier: Apache-2.0
// The events of a model's steps: in the probe's mapped logs while it runs, so that a killed process
// leaves them, and as SET Level performance JSON once it is terminated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "osmp/model.hpp"
#include "osmp/step_events.hpp"

namespace wirecost::probe {
class LogFile;
struct Record;
}  // namespace wirecost::probe

namespace wirecost::fmu {

class StepLog {
 public:
  /// `folder` may be empty: the temporary folder, where the report's models wrote.
  StepLog(std::string identity, const std::string& folder);
  ~StepLog();
  StepLog(const StepLog&) = delete;
  StepLog& operator=(const StepLog&) = delete;

  /// Keeps a finished step; called after its last timestamp, so it costs no measured time.
  void keep(const StepEvents& step, double simulation_time,
            std::array<std::size_t, 2> message_sizes);

  /// Writes `<identity>_timing_%H-%M-%S.json` unless no step was kept, and takes the probe's logs
  /// away. Empty, or what went wrong; then no part of the file stays, but the probe's logs do.
  std::string write();

 private:
  void open(std::size_t records);
  /// A place in the log, after a full one in another; null where there can be none.
  probe::Record* next();
  void print(std::FILE* file) const;

  std::string identity_;
  std::uint32_t model_id_;
  std::string folder_;
  std::int64_t wall_minus_monotonic_ns_;
  std::vector<std::unique_ptr<probe::LogFile>> logs_;
  std::size_t records_ = 0;
  std::uint64_t steps_ = 0;
  bool lost_ = false;
};

}  // namespace wirecost::fmu
