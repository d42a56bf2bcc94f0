// SPDX-License-Identifier: Apache-2.0
// Hits of all threads, put in the order of time and given to the threads' logs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "breakpoints.hpp"
#include "thread_calls.hpp"

namespace wirecost::function {

class Observer {
 public:
  /// `process`: hits of others than this and what it starts are of no concern.
  Observer(LogPlan plan, const Breakpoints& breakpoints, std::uint32_t process)
      : plan_(std::move(plan)), breakpoints_(breakpoints), family_{process} {}

  /// Takes what the rings have. `all`: nothing more will come.
  void take(bool all);
  void finish();

 private:
  void give(const Hit& hit);
  ThreadCalls* thread(const Hit& hit);

  LogPlan plan_;
  const Breakpoints& breakpoints_;
  std::set<std::uint32_t> family_;
  std::vector<Hit> waiting_;
  std::map<std::uint32_t, std::unique_ptr<ThreadCalls>> threads_;
  std::uint64_t lost_ = 0;
  bool failed_ = false;
};

}  // namespace wirecost::function
