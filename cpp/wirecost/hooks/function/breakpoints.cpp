// SPDX-License-Identifier: Apache-2.0
#include "breakpoints.hpp"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace wirecost::function {
namespace {

constexpr std::size_t ring_bytes = std::size_t{1} << 21;
constexpr std::uint64_t stack_pointer = 7;  // PERF_REG_X86_SP

int perf_type() {
  int type = -1;
  if (std::FILE* file = std::fopen("/sys/bus/event_source/devices/uprobe/type", "re")) {
    if (std::fscanf(file, "%d", &type) != 1) type = -1;
    std::fclose(file);
  }
  return type;
}

int perf_event_open(perf_event_attr& attributes, pid_t thread, int cpu) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

int processors() { return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); }

perf_event_attr basics() {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.sample_type = PerfRing::sample_type;
  attributes.sample_regs_user = 1U << stack_pointer;
  attributes.sample_period = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.watermark = 1;
  attributes.wakeup_watermark = ring_bytes / 8;
  return attributes;
}

void want_files(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count);
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string reason(int error) {
  if (error == EACCES || error == EPERM)
    return "not permitted to this user (needs CAP_PERFMON or root)";
  if (error == EMFILE) return "too many functions for the open files that are allowed";
  return std::strerror(error);
}

}  // namespace

const Counter* kernel_counter(const std::string& name) {
  static const std::array counters{
      Counter{"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
      Counter{"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
      Counter{"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
      Counter{"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
  };
  const auto found = std::ranges::find(counters, name, &Counter::name);
  return found == counters.end() ? nullptr : &*found;
}

Breakpoints::~Breakpoints() {
  rings_.clear();
  // The kernel waits for a grace period at each of them, up to 0.1 s; a process that has nothing
  // else to do keeps them until then.
  const pid_t closer = fork();
  if (closer == 0) {
    setsid();
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(file);
    _exit(0);
  }
  for (const int file : files_) close(file);
}

std::string Breakpoints::add(perf_event_attr attributes, pid_t thread, int cpu, Event event) {
  const int file = perf_event_open(attributes, thread, cpu);
  if (file < 0 && (errno == ENODEV || errno == ENXIO)) return {};  // this processor is off
  if (file < 0) return reason(errno);
  files_.push_back(file);
  std::uint64_t id = 0;
  if (ioctl(file, PERF_EVENT_IOC_ID, &id) != 0) return reason(errno);
  events_[id] = event;
  const auto known = ring_of_.find(cpu);
  if (known != ring_of_.end())
    return ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, known->second) == 0 ? "" : reason(errno);
  auto ring = std::make_unique<PerfRing>(file, ring_bytes);
  if (!ring->open()) return reason(errno);
  rings_.push_back(std::move(ring));
  ring_of_[cpu] = file;
  return {};
}

std::string Breakpoints::set(const std::vector<Place>& places) {
  const int type = perf_type();
  if (type < 0) return "this kernel has no uprobes for perf";
  want_files(files_.size() + (places.size() + 8) * static_cast<std::size_t>(processors()) + 64);
  for (int cpu = 0; cpu < processors(); ++cpu)
    for (const Place& place : places) {
      perf_event_attr attributes = basics();
      attributes.type = static_cast<std::uint32_t>(type);
      attributes.uprobe_path = reinterpret_cast<std::uintptr_t>(place.path.c_str());
      attributes.probe_offset = place.offset;
      const std::string trouble = add(attributes, -1, cpu, place.event);
      if (!trouble.empty()) return place.path + ": " + trouble;
    }
  return {};
}

std::string Breakpoints::count(pid_t thread, bool on_exec,
                               const std::vector<const Counter*>& counters) {
  perf_event_attr attributes = basics();
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.inherit = 1;
  attributes.disabled = on_exec ? 1 : 0;
  attributes.enable_on_exec = on_exec ? 1 : 0;
  for (int cpu = 0; cpu < processors(); ++cpu) {
    for (std::size_t i = 0; i < counters.size(); ++i) {
      attributes.config = counters[i]->config;
      const std::string trouble =
          add(attributes, thread, cpu,
              {.meaning = Meaning::counted, .index = static_cast<std::uint32_t>(i)});
      if (!trouble.empty()) return counters[i]->name + ": " + trouble;
    }
    perf_event_attr family = attributes;
    family.config = PERF_COUNT_SW_DUMMY;
    family.task = 1;
    // Processes that it makes before it executes a program are its own too.
    family.disabled = 0;
    family.enable_on_exec = 0;
    const std::string trouble = add(family, thread, cpu, {.meaning = Meaning::counted, .index = 0});
    if (!trouble.empty()) return trouble;
  }
  return {};
}

std::string why_no_breakpoints() {
  const int type = perf_type();
  if (type < 0) return "this kernel has no uprobes for perf";
  perf_event_attr attributes = basics();
  attributes.type = static_cast<std::uint32_t>(type);
  attributes.disabled = 1;
  attributes.uprobe_path = reinterpret_cast<std::uintptr_t>("/proc/self/exe");
  attributes.probe_offset = 0;
  // Offset 0 is no code: a kernel that permits breakpoints refuses this one for itself.
  const int file = perf_event_open(attributes, 0, -1);
  if (file >= 0) {
    close(file);
    return {};
  }
  return errno == EACCES || errno == EPERM || errno == ENOENT || errno == EOPNOTSUPP
             ? reason(errno)
             : std::string();
}

}  // namespace wirecost::function
