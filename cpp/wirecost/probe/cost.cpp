// SPDX-License-Identifier: Apache-2.0
// What a probe costs on this machine, beside the least it could cost: the medians of batches.
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "counters.hpp"
#include "event_names.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/clock.hpp"

namespace {

using namespace wirecost;

constexpr int batches = 201;
constexpr int batch = 500;
const std::vector<std::string> software{"minor-faults", "major-faults", "context-switches",
                                        "cpu-migrations"};

template <class Body>
void print(const char* name, Body body) {
  std::vector<double> ns;
  for (int i = 0; i < batches; ++i) {
    const std::int64_t begin = monotonic_ns();
    for (int j = 0; j < batch; ++j) body();
    ns.push_back(static_cast<double>(monotonic_ns() - begin) / batch);
  }
  std::nth_element(ns.begin(), ns.begin() + batches / 2, ns.end());
  std::printf("%-58s %8.1f ns\n", name, ns[batches / 2]);
}

void section() {
  wirecost_probe_begin(1, 0);
  wirecost_probe_end(1, 0);
}

/// In a process of its own, since a process records one set of counters.
template <class Body>
void with_probe(const char* counters, const std::string& folder, Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("WIRECOST_PROBE", folder.c_str(), 1);
    setenv("WIRECOST_PROBE_COUNTERS", counters, 1);
    setenv("WIRECOST_PROBE_SIZE", "32M", 1);
    wirecost_probe_prepare_thread();
    body();
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

/// The scheme of pmu_analyzer: a group of user-mode counters, started anew for every section.
void reset_enable_disable_read() {
  int leader = -1;
  for (const std::string& name : software) {
    perf_event_attr attributes{};
    probe::encode_event(name, attributes);
    attributes.size = sizeof(attributes);
    attributes.exclude_kernel = 1;
    attributes.disabled = leader < 0 ? 1 : 0;
    attributes.read_format = PERF_FORMAT_GROUP;
    const int file = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, leader, 0));
    if (leader < 0) leader = file;
  }
  if (leader < 0) return;
  print("reset, enable, disable, read: four system calls", [leader] {
    std::array<std::uint64_t, 1 + probe::max_counters> group;
    ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
    ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    static_cast<void>(!read(leader, group.data(), sizeof(group)));
  });
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::exists("/dev/shm") ? "/dev/shm/" : "/tmp/") +
                       std::string("wirecost-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) return 1;
  unsetenv("WIRECOST_PROBE");
  with_probe("none", "", [] { print("section, switched off", section); });
  print("timestamp pair", [] {
    static_cast<void>(monotonic_ns());
    static_cast<void>(monotonic_ns());
  });
  with_probe("none", folder, [] {
    print("mark", [] { wirecost_probe_mark(1, 0, 0, 0); });
    print("section without counters", section);
  });
  std::string names;
  for (const std::string& name : software) names += name + ",";
  with_probe(names.c_str(), folder, [] {
    probe::PerfGroup group;
    for (std::size_t i = 0; i < software.size(); ++i) {
      perf_event_attr attributes{};
      probe::encode_event(software[i], attributes);
      group.add(i, attributes);
    }
    probe::Snapshot snapshot;
    if (!group.empty())
      print("floor: two group reads of four software counters", [&] {
        group.read(snapshot);
        group.read(snapshot);
      });
    print("section with four software counters", section);
  });
  reset_enable_disable_read();
  std::filesystem::remove_all(folder);
}
