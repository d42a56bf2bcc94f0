// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstddef>

#include "wirecost/probe/reports.hpp"

namespace wirecost::hooks {

/// While one lives, allocations and system calls of the calling thread are wirecost's own, and not
/// counted for the program.
class [[nodiscard]] OwnWork {
 public:
  OwnWork() {
    constexpr std::array sources{"wirecost_allocation_reports", "wirecost_system_call_reports"};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      using OfThread = probe::Reports* (*)();
      const auto found = reinterpret_cast<OfThread>(dlsym(RTLD_DEFAULT, sources[i]));
      probe::Reports* const reports = found == nullptr ? nullptr : found();
      if (reports == nullptr || reports->paused) continue;
      reports->paused = true;
      paused_[i] = reports;
    }
  }
  ~OwnWork() {
    for (probe::Reports* const one : paused_)
      if (one != nullptr) one->paused = false;
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  std::array<probe::Reports*, 2> paused_{};
};

}  // namespace wirecost::hooks
