// SPDX-License-Identifier: Apache-2.0
// Page faults of the calling thread, in user mode: perf sends a signal for each.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "wirecost/hooks/stacks/export.hpp"
#include "wirecost/hooks/stacks/gate.hpp"
#include "wirecost/hooks/stacks/handler.hpp"
#include "wirecost/probe/reports.hpp"

namespace {

using namespace wirecost::hooks;
using wirecost::probe::Event;
using wirecost::probe::Reports;

struct Kind {
  Event event;
  unsigned long long config;
};
constexpr Kind kinds[] = {{Event::minor_fault, PERF_COUNT_SW_PAGE_FAULTS_MIN},
                          {Event::major_fault, PERF_COUNT_SW_PAGE_FAULTS_MAJ}};

void arm(bool armed);
void close_files();

thread_local int files[] = {-1, -1};
thread_local Reports reports{nullptr, false, arm, nullptr, close_files};

void arm(bool armed) {
  for (const int file : files)
    if (file >= 0) ioctl(file, armed ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void close_files() {
  for (int& file : files) {
    if (file >= 0) close(file);
    file = -1;
  }
}

const void* interrupted(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#ifdef __x86_64__
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(machine.pc);
#endif
}

void on_fault(int, siginfo_t* info, void* context) {
  const int number = errno;
  const char before = gate;
  gate = open_gate;
  auto* const observer = reports.observer;
  for (std::size_t i = 0; observer != nullptr && i < 2; ++i)
    if (files[i] >= 0 && info->si_fd == files[i])
      observer->see(*observer, kinds[i].event, interrupted(context), {});
  gate = before;
  errno = number;
}

/// The last of the real-time signals that nobody has taken; 0: there is none.
int take_signal() {
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal)
    if (install(signal, on_fault)) return signal;
  return 0;
}

int opened(unsigned long long config, int signal) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = config;
  attributes.sample_period = 1;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const int file =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file < 0) return -1;
  const f_owner_ex owner{F_OWNER_TID, static_cast<pid_t>(syscall(SYS_gettid))};
  if (fcntl(file, F_SETOWN_EX, &owner) == 0 && fcntl(file, F_SETSIG, signal) == 0 &&
      fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
    return file;
  close(file);
  return -1;
}

}  // namespace

/// The calling thread's, from now on; null where the kernel does not report them.
EXPORTED Reports* wirecost_fault_reports() {
  static const int signal = take_signal();
  if (signal == 0) return nullptr;
  for (std::size_t i = 0; i < 2; ++i)
    if (files[i] < 0) files[i] = opened(kinds[i].config, signal);
  return files[0] >= 0 ? &reports : nullptr;
}
