// SPDX-License-Identifier: Apache-2.0
// What `wirecost heap run` asks of the allocator, through the environment.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wirecost::heap {

struct Config {
  std::size_t pool_bytes = std::size_t{64} << 20;  ///< WIRECOST_HEAP_POOL, bytes
  bool lock = false;                               ///< WIRECOST_HEAP_LOCK=1
  bool huge = false;                               ///< WIRECOST_HEAP_HUGE=1
  bool report = false;                             ///< WIRECOST_HEAP_REPORT=1: text to stderr
  const char* out = nullptr;                       ///< WIRECOST_HEAP_OUT: JSON to this file
  std::int64_t pid = 0;        ///< WIRECOST_HEAP_PID: whose report is `out`; others add theirs
  std::uint64_t warmup_s = 5;  ///< WIRECOST_HEAP_WARMUP: seconds until faults count
};

/// Reads the environment. A value that is no number is named on stderr and left at its default.
Config read_config(char** environment);

}  // namespace wirecost::heap
