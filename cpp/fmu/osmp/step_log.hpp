// SPDX-License-Identifier: Apache-2.0
// A model's event log, bound to the folder its parameter names.
#pragma once

#include <filesystem>
#include <string>

#include "osmp/model.hpp"
#include "wirecost/probe/event_log.hpp"

namespace wirecost::fmu {

class StepLog {
 public:
  /// `folder` may be empty: the temporary folder, where the report's models wrote.
  StepLog(const std::string& identity, const std::string& folder)
      : folder_(folder.empty() ? std::filesystem::temp_directory_path()
                               : std::filesystem::path(folder)),
        log_(identity) {}

  void keep(const StepEvents& step, double time, std::array<std::size_t, 2> sizes) {
    log_.keep(step, time, sizes);
  }

  std::string write() const {
    return log_.write(folder_) ? "" : "cannot write the performance log into " + folder_.string();
  }

 private:
  std::filesystem::path folder_;
  EventLog log_;
};

}  // namespace wirecost::fmu
