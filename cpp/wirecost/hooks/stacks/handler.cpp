// SPDX-License-Identifier: Apache-2.0
#include "wirecost/hooks/stacks/handler.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#ifdef __x86_64__

extern "C" [[gnu::visibility("hidden")]] void wirecost_return_from_handler();
extern "C" [[gnu::visibility("hidden")]] void wirecost_behind_return();
// The bytes by which unwinders know a signal's frame, so that they need no description of it.
asm(R"(
.pushsection .text
.p2align 4
.type wirecost_return_from_handler, @function
nop
.globl wirecost_return_from_handler
wirecost_return_from_handler:
  mov $15, %rax
  syscall
.globl wirecost_behind_return
wirecost_behind_return:
  ud2
.popsection
)");

#endif

namespace wirecost::hooks {

#ifdef __x86_64__

namespace {

/// As the kernel has it; the C library's has no room for a way back of one's own.
struct KernelAction {
  Handler handler;
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};
constexpr unsigned long has_restorer = 0x04000000;

}  // namespace

bool install(int signal, Handler handler) {
  struct sigaction before{};
  if (sigaction(signal, nullptr, &before) != 0) return false;
  if ((before.sa_flags & SA_SIGINFO) == 0 ? before.sa_handler != SIG_DFL
                                          : before.sa_sigaction != handler)
    return false;
  const KernelAction action{handler, SA_SIGINFO | SA_RESTART | SA_NODEFER | has_restorer,
                            wirecost_return_from_handler, 0};
  return syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof(action.mask)) == 0;
}

Code returning_code() {
  const auto begin = reinterpret_cast<std::size_t>(wirecost_return_from_handler);
  // The kernel looks at the address behind the instruction.
  return {begin, reinterpret_cast<std::size_t>(wirecost_behind_return) - begin + 1};
}

#else

bool install(int signal, Handler handler) {
  struct sigaction before{};
  if (sigaction(signal, nullptr, &before) != 0) return false;
  if ((before.sa_flags & SA_SIGINFO) == 0 ? before.sa_handler != SIG_DFL
                                          : before.sa_sigaction != handler)
    return false;
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  return sigaction(signal, &action, nullptr) == 0;
}

Code returning_code() { return {0, 0}; }

#endif

}  // namespace wirecost::hooks
