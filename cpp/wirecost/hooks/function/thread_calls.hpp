// SPDX-License-Identifier: Apache-2.0
// The calls of one observed thread, from where it hit breakpoints, and its log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "wirecost/probe/log_file.hpp"

namespace wirecost::function {

/// What all logs share.
struct LogPlan {
  std::string folder;
  std::size_t records;
  std::vector<std::string> sections;  ///< names, by function
  std::vector<std::string> counters;  ///< those that are counted
  std::vector<std::string> absent;    ///< asked for, and not counted by the kernel for others
};

class ThreadCalls {
 public:
  ThreadCalls(const LogPlan& plan, const probe::Owner& owner);

  const std::string& trouble() const { return log_.trouble(); }
  bool open() const { return log_.open(); }
  void entered(std::uint32_t function, std::uint64_t stack, std::int64_t time_ns);
  void left(std::uint32_t function, std::uint64_t stack, std::int64_t time_ns);
  /// An exception is on its way: calls that are gone were left by it, not by longjmp.
  void thrown() { unwinding_ = true; }
  /// An exception has arrived in a function whose stack pointer is `stack`: those that were called
  /// from there have ended.
  void caught(std::uint64_t stack, std::int64_t time_ns);
  void counted(std::uint32_t counter) { ++counts_[counter]; }
  void dropped(std::uint64_t count) { log_.header().dropped += count; }
  /// What is still open counts as not left.
  void finish();

 private:
  struct Call {
    std::uint32_t function;
    std::uint64_t stack;  ///< the place of its return address
    std::int64_t begin_ns;
    std::uint64_t loop;
    std::array<std::uint64_t, probe::max_counters> counts;
  };

  void write_names(const LogPlan& plan);
  void end_all_below(std::uint64_t stack, std::int64_t time_ns);
  void record(std::size_t depth, std::int64_t end_ns);
  void give_up(std::size_t from);

  probe::LogFile log_;
  std::vector<Call> calls_;
  std::array<std::uint64_t, probe::max_counters> counts_{};
  std::size_t counters_;
  std::uint64_t outermost_ = 0;
  bool unwinding_ = false;
};

}  // namespace wirecost::function
