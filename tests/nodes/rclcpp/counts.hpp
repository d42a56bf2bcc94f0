// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

/// How often each callback of this process ran. The last line on standard output is JSON:
/// {"/node /topic": 12, "/node timer 50 ms": 7, "/node service /name": 1}.
class Counts {
 public:
  /// The process's only one: nodes of one process count together.
  static Counts& of_process() {
    static Counts counts;
    return counts;
  }

  void add(const std::string& callback) {
    const std::lock_guard lock(mutex_);
    ++counts_[callback];
  }

  void print() const {
    const char* separator = "{";
    for (const auto& [callback, count] : counts_) {
      std::printf("%s\"%s\": %d", separator, callback.c_str(), count);
      separator = ", ";
    }
    std::printf("%s}\n", counts_.empty() ? "{" : "");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> counts_;
};
