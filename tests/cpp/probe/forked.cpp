// SPDX-License-Identifier: Apache-2.0
// Forks while another thread is in the probe. Without sanitizers, whose allocators stand no fork.
//   naming TIMES          that thread names sections
//   first-section TIMES   it records the first section of the process
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "wirecost/probe.h"

namespace {

void record(std::uint32_t id) {
  wirecost_probe_begin(id, WIRECOST_PROBE_COUNT_LOOPS);
  wirecost_probe_end(id, 0);
}

/// The first thing that a child does needs a lock, which another thread may have at the fork.
void forked_while_naming(int times) {
  std::atomic<bool> stop{false};
  std::thread naming([&] {
    while (!stop) wirecost_probe_section("of the other thread");
  });
  int ended = 0;
  for (int i = 0; i < times; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      wirecost_probe_section("of the child");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) break;
    ++ended;
  }
  stop = true;
  naming.join();
  std::printf("%d children ended\n", ended);
}

/// Each time in a process where nobody has recorded yet: its first thread forks while another makes
/// its log and loads what that needs.
void forked_at_first_section(int times) {
  int ended = 0;
  for (int i = 0; i < times; ++i) {
    const pid_t process = fork();
    if (process == 0) {
      std::thread first(record, 1);
      usleep(static_cast<useconds_t>(100 * i));
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        record(2);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      first.join();
      _exit(status == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(process, &status, 0);
    if (status != 0) break;
    ++ended;
  }
  std::printf("%d children ended\n", ended);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int times = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "naming") forked_while_naming(times);
  if (what == "first-section") forked_at_first_section(times);
}
