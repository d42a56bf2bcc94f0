// SPDX-License-Identifier: Apache-2.0
// System calls of the calling thread, wherever their instructions are: while the gate is closed the
// kernel sends SIGSYS instead (Syscall User Dispatch), and the handler makes the call.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "wirecost/hooks/stacks/export.hpp"
#include "wirecost/hooks/stacks/gate.hpp"
#include "wirecost/hooks/stacks/handler.hpp"
#include "wirecost/probe/reports.hpp"

namespace wirecost::hooks {
thread_local volatile char gate = open_gate;
}

#ifdef __x86_64__

extern "C" [[gnu::visibility("hidden")]] long wirecost_system_call(long number,
                                                                   const greg_t* registers);
asm(R"(
.pushsection .text
.p2align 4
.globl wirecost_system_call
.type wirecost_system_call, @function
wirecost_system_call:
  .cfi_startproc
  mov %rdi, %rax
  mov %rsi, %r11
  mov 64(%r11), %rdi
  mov 72(%r11), %rsi
  mov 96(%r11), %rdx
  mov 16(%r11), %r10
  mov 0(%r11), %r8
  mov 8(%r11), %r9
  syscall
  ret
  .cfi_endproc
.size wirecost_system_call, .-wirecost_system_call
.popsection
)");
static_assert(REG_R8 == 0 && REG_R9 == 1 && REG_R10 == 2 && REG_RDI == 8 && REG_RSI == 9 &&
              REG_RDX == 12);

namespace {

using namespace wirecost::hooks;
using wirecost::probe::Event;
using wirecost::probe::Reports;

constexpr int set_user_dispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
constexpr int dispatch_off = 0, dispatch_on = 1;
constexpr int of_user_dispatch = 2;  // SYS_USER_DISPATCH
constexpr std::uint64_t mask_of(int signal) { return std::uint64_t{1} << (signal - 1); }
constexpr int instruction_bytes = 2;

void arm(bool armed);
void prepare();
void end();

thread_local std::uint64_t counts[2]{};
thread_local bool dispatched = false;
thread_local Reports reports{nullptr, false, arm, prepare, end};

/// A thread that blocks the signal would be killed by it.
std::uint64_t unblocked() {
  const std::uint64_t mask = mask_of(SIGSYS);
  std::uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, &before, sizeof(mask));
  return before & ~mask;
}

void prepare() { unblocked(); }

void arm(bool armed) { gate = armed && dispatched ? closed_gate : open_gate; }

void end() {
  gate = open_gate;
  if (dispatched) prctl(set_user_dispatch, dispatch_off, 0, 0, 0);
  dispatched = false;
}

/// Those that cannot be made from within a handler: what begins with another stack, or none.
bool only_in_place(long number) {
  switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_rt_sigreturn: return true;
    default: return false;
  }
}

void on_system_call(int, siginfo_t* info, void* interrupted) {
  const int number = errno;
  if (info->si_code != of_user_dispatch) {
    // A sandbox's: as if nobody had taken the signal.
    std::signal(SIGSYS, SIG_DFL);
    std::raise(SIGSYS);
    return;
  }
  gate = open_gate;
  auto& context = *static_cast<ucontext_t*>(interrupted);
  greg_t* const registers = context.uc_mcontext.gregs;
  const long call = registers[REG_RAX];
  const auto* const at = reinterpret_cast<const void*>(registers[REG_RIP]);
  if (!reports.paused) ++counts[0];
  if (auto* const observer = reports.observer; observer != nullptr && !reports.paused)
    observer->see(*observer, Event::system_call, at, {.number = static_cast<int>(call)});
  if (only_in_place(call)) {
    // Once more, with an open gate: what follows in this section is not counted.
    registers[REG_RIP] -= instruction_bytes;
    errno = number;
    return;
  }
  errno = number;
  registers[REG_RAX] = wirecost_system_call(call, registers);
  // What is blocked now stays so behind the handler.
  if (call == SYS_rt_sigprocmask)
    *reinterpret_cast<std::uint64_t*>(&context.uc_sigmask) = unblocked();
  errno = number;
  gate = closed_gate;
}

}  // namespace

/// The calling thread's system calls while armed; null where the kernel does not report them.
EXPORTED const std::uint64_t* wirecost_system_call_counts() {
  if (dispatched) return counts;
  if (!install(SIGSYS, on_system_call)) return nullptr;
  const Code code = returning_code();
  dispatched = prctl(set_user_dispatch, dispatch_on, code.begin, code.size, &gate) == 0;
  return dispatched ? counts : nullptr;
}

EXPORTED Reports* wirecost_system_call_reports() { return dispatched ? &reports : nullptr; }

#else

EXPORTED const std::uint64_t* wirecost_system_call_counts() { return nullptr; }
EXPORTED wirecost::probe::Reports* wirecost_system_call_reports() { return nullptr; }

#endif
