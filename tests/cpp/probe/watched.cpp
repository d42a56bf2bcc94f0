// SPDX-License-Identifier: Apache-2.0
// Does in sections what a program that is watched may do, and prints what came of it: threads,
// children, signals, blocked or handled, and allocations below nested sections.
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "wirecost/probe.hpp"

namespace {

volatile sig_atomic_t handled = 0;
void handle(int) { handled = handled + 1; }

void* kept(void* memory) {
  asm volatile("" : "+r"(memory));
  return memory;
}

[[gnu::noinline]] void allocate(std::size_t size) { std::free(kept(std::malloc(size))); }

/// Another return address below each of them.
template <int depth>
[[gnu::noinline]] void allocate_below() {
  if constexpr (depth == 0)
    allocate(8);
  else
    allocate_below<depth - 1>();
  asm volatile("");
}

}  // namespace

int main() {
  using wirecost::probe::Section;
  struct sigaction action{};
  action.sa_handler = handle;
  sigaction(SIGUSR1, &action, nullptr);

  const std::uint32_t blocked = wirecost_probe_section("blocked");
  const std::uint32_t threads = wirecost_probe_section("threads");
  const std::uint32_t children = wirecost_probe_section("children");
  const std::uint32_t signals = wirecost_probe_section("signals");
  const std::uint32_t outer = wirecost_probe_section("outer");
  const std::uint32_t inner = wirecost_probe_section("inner");
  sigset_t all, before, now;
  sigfillset(&all);

  pthread_sigmask(SIG_BLOCK, &all, &before);
  {
    const Section section(blocked);
    for (int i = 0; i < 5; ++i) syscall(SYS_getppid);
  }
  {
    const Section section(blocked);
    errno = 77;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (int i = 0; i < 3; ++i) syscall(SYS_getppid);
  }
  const int number = errno;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  std::printf("errno %d, blocked %d\n", number, sigismember(&now, SIGUSR2));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);

  {
    const Section section(threads);
    std::thread([&] {
      const Section of_thread(blocked);
      for (int i = 0; i < 5; ++i) syscall(SYS_getppid);
    }).join();
  }
  int status = 1;
  {
    const Section section(children);
    const pid_t child = fork();
    if (child == 0) {
      {
        const Section of_child(blocked);
        for (int i = 0; i < 5; ++i) syscall(SYS_getppid);
        allocate(8);
      }
      std::exit(0);
    }
    waitpid(child, &status, 0);
  }
  {
    const Section section(signals);
    raise(SIGUSR1);
    syscall(SYS_getppid);
  }
  for (int i = 0; i < 10; ++i) {
    const Section section(outer);
    allocate_below<3>();
    const Section nested(inner);
    allocate_below<5>();
    wirecost_probe_begin(signals, 0);
    wirecost_probe_abandon(signals);
    allocate_below<6>();
  }
  allocate(8);
  std::printf("child %d, handled %d\n", status, static_cast<int>(handled));
}
