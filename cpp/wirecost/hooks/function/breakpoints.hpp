// SPDX-License-Identifier: Apache-2.0
// Breakpoints that the kernel keeps in programs' code (uprobes), through perf_event_open.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perf_ring.hpp"

namespace wirecost::function {

/// What a hit of an event means.
enum class Meaning : std::uint8_t { entered, left, thrown, caught, counted };
struct Event {
  Meaning meaning;
  std::uint32_t index;  ///< of the function or the counter
};

/// A place in a file's code, which must be the beginning of an instruction.
struct Place {
  std::string path;
  std::uint64_t offset;
  Event event;
};

/// A number that the kernel counts by itself.
struct Counter {
  std::string name;
  std::uint64_t config;
};
/// The counter of that name, as the probe library calls it; null where it is no such one.
const Counter* kernel_counter(const std::string& name);

class Breakpoints {
 public:
  Breakpoints() = default;
  ~Breakpoints();
  Breakpoints(const Breakpoints&) = delete;
  Breakpoints& operator=(const Breakpoints&) = delete;

  /// Sets the breakpoints, in all programs that have the code: those of one process alone are not
  /// inherited by its threads (the kernel would refuse to make these). An empty text, or why they
  /// cannot be.
  std::string set(const std::vector<Place>& places);

  /// Counts for a thread and all that it starts, and reports what it starts. `on_exec`: from the
  /// moment that it executes a program.
  std::string count(pid_t thread, bool on_exec, const std::vector<const Counter*>& counters);

  const std::vector<std::unique_ptr<PerfRing>>& rings() const { return rings_; }
  const Event* event(std::uint64_t id) const {
    const auto found = events_.find(id);
    return found == events_.end() ? nullptr : &found->second;
  }

 private:
  std::string add(perf_event_attr attributes, pid_t thread, int cpu, Event event);

  std::vector<int> files_;
  std::vector<std::unique_ptr<PerfRing>> rings_;
  std::map<int, int> ring_of_;  ///< of each processor: the event that has it
  std::map<std::uint64_t, Event> events_;
};

/// Empty, or why this kernel or this user has no breakpoints of this kind.
std::string why_no_breakpoints();

}  // namespace wirecost::function
