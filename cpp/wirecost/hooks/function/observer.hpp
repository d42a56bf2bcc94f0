// SPDX-License-Identifier: Apache-2.0
// Hits of all threads, put in the order of time and given to the threads' logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "breakpoints.hpp"
#include "thread_calls.hpp"

namespace wirecost::function {

class Observer {
 public:
  /// `process`: hits of others than this and what it starts are of no concern.
  Observer(LogPlan plan, const Breakpoints& breakpoints, std::uint32_t process)
      : plan_(std::move(plan)),
        breakpoints_(breakpoints),
        process_(process),
        family_{{process, 1}} {}

  /// Takes what the rings have. `all`: nothing more will come.
  void take(bool all);
  void finish();

 private:
  void give(const Hit& hit);
  ThreadCalls* thread(const Hit& hit);
  void begins(const Hit& hit);
  void ends(const Hit& hit);
  void end_log_of(std::uint32_t thread);

  LogPlan plan_;
  const Breakpoints& breakpoints_;
  std::uint32_t process_;
  std::map<std::uint32_t, std::size_t> family_;  ///< processes, and how many threads they have
  std::vector<Hit> waiting_;
  std::map<std::uint32_t, std::unique_ptr<ThreadCalls>> threads_;
  std::unique_ptr<ThreadCalls> ended_;  ///< the last one
  std::size_t logs_ = 0;
  std::uint64_t lost_ = 0, without_log_ = 0;
  bool failed_ = false;
};

}  // namespace wirecost::function
