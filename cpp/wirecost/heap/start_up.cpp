// SPDX-License-Identifier: Apache-2.0
// How the heap comes to life: before libc is ready, when it is, after a fork.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <new>

#include "wirecost/heap/heap.hpp"
#include "wirecost/heap/state.hpp"

namespace wirecost::heap {

constinit State state;
std::atomic<std::uint32_t>* process_mark = nullptr;

namespace {

enum Stage : std::uint32_t { nothing, opening, open_pool, settling, settled };
std::atomic<std::uint32_t> stage{nothing};
std::atomic<bool> has_background_thread{false};
std::int64_t warm_at_ns = 0;
std::atomic<pid_t> process{0};

/// What the first thread had when it last was here, before the warm-up ended.
Faults before_warm_at;
std::int64_t looked_at_ns = 0;

/// Set where the program restricts its system calls: ours, which it does not know of, would end it.
std::atomic<bool> is_restricted{false};

/// The time of the last tick: it needs neither a system call nor the time-stamp counter, which a
/// program may forbid itself to read.
std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void* background(void*) {
  // A child that a fork made usually calls exec at once; until then touching copies every page.
  constexpr timespec until_exec{0, 20'000'000};
  pthread_setname_np(pthread_self(), "wirecost-heap");
  if (now_ns() >= warm_at_ns) state.threads.end_warmup(before_warm_at);
  for (;;) {
    state.pool.refill();
    if (state.pool.must_touch_again()) {
      nanosleep(&until_exec, nullptr);
      state.pool.touch_again();
    }
    std::int64_t wait = -1;
    if (!state.threads.warm()) {
      wait = warm_at_ns - now_ns();
      if (wait <= 0) {
        state.threads.end_warmup();
        wait = -1;
      }
    }
    state.pool.wait_for_work(wait);
  }
}

void note_faults() {
  if (state.threads.warm() || is_restricted.load(std::memory_order_relaxed)) return;
  const std::int64_t now = now_ns();
  if (now >= warm_at_ns) return state.threads.end_warmup(before_warm_at);
  constexpr std::int64_t often_enough_ns = 1'000'000;
  if (now - looked_at_ns < often_enough_ns) return;
  before_warm_at = own_faults();
  looked_at_ns = now;
}

void start_background_thread() {
  if (has_background_thread.exchange(true)) return;
  // The program's signals are for the program's threads.
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, std::size_t{128} << 10);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, background, nullptr) != 0) {
    has_background_thread.store(false);
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Locks are taken in the order in which the heap nests them.
void before_fork() {
  notice_new_process();
  state.shared_lock.lock();
  state.central.lock_all();
  state.threads.lock_all();
  state.pool.lock_all();
  holds_every_lock = true;
}

void after_fork_in_parent() {
  holds_every_lock = false;
  state.pool.unlock_all();
  state.threads.unlock_all();
  state.central.unlock_all();
  state.shared_lock.unlock();
  state.pool.ask_to_touch_again();
}

void begin_process() {
  state.threads.keep_only_this_thread();
  process.store(getpid());
  has_background_thread.store(false);
  before_warm_at = {};
  looked_at_ns = 0;
  if (process_mark != nullptr) process_mark->store(1, std::memory_order_release);
}

void after_fork_in_child() {
  holds_every_lock = false;
  state.pool.reset_locks();
  state.threads.reset_locks();
  state.central.reset_locks();
  state.shared_lock.reset();
  begin_process();
}

void mark_process() {
  void* page =
      mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
    munmap(page, page_bytes);
    return;
  }
  process_mark = new (page) std::atomic<std::uint32_t>{1};
}

void on_terminate(int number) {
  report_once();
  signal(number, SIG_DFL);
  raise(number);
}

void settle() {
  process.store(getpid());
  state.config = read_config(environ);
  state.pool.settle(state.config.pool_bytes, {state.config.lock, state.config.huge});
  state.threads.watch_ends();
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  const bool reports = state.config.report || state.config.out != nullptr;
  if (state.config.report) keep_stderr();
  struct sigaction action{};
  if (reports && sigaction(SIGTERM, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
    signal(SIGTERM, on_terminate);
  }
  warm_at_ns = now_ns() + static_cast<std::int64_t>(state.config.warmup_s) * 1'000'000'000;
}

[[gnu::constructor]] void at_load() { start_up(); }

[[gnu::destructor]] void at_exit() {
  if (stage.load() == settled) report_once();
}

[[noreturn]] void leave_at_once(int status) {
  // A child of vfork shares this memory, but it is another process.
  if (stage.load() == settled && process.load() == getpid()) report_once();
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

void start_up() {
  notice_new_process();
  if (stage.load(std::memory_order_acquire) == settled) [[likely]] {
    return;
  }
  const int saved = errno;
  std::uint32_t expected = nothing;
  if (stage.compare_exchange_strong(expected, opening)) {
    getrandom(&free_mark, sizeof free_mark, GRND_NONBLOCK);
    state.pool.open();
    mark_process();
    stage.store(open_pool);
  }
  // The environment is what libc sets up last of what settling needs.
  expected = open_pool;
  if (environ != nullptr && state.pool.is_open() &&
      stage.compare_exchange_strong(expected, settling)) {
    settle();
    stage.store(settled, std::memory_order_release);
  }
  errno = saved;
}

void keep_filled() {
  if (has_background_thread.load(std::memory_order_relaxed) || stage.load() != settled) return;
  if (own_cache == nullptr) state.threads.enter();
  if (state.threads.are_several()) {
    start_background_thread();
  } else {
    note_faults();
  }
}

void end_warmup_if_over() {
  if (has_background_thread.load() || state.threads.warm() || now_ns() < warm_at_ns) return;
  state.threads.end_warmup(before_warm_at);
}

void take_over() {
  // The handlers of fork see to it.
  if (holds_every_lock) return;
  constexpr std::uint32_t under_way = 2;
  std::uint32_t expected = 0;
  if (process_mark->compare_exchange_strong(expected, under_way)) {
    state.pool.take_over();
    state.central.take_over();
    state.threads.reset_locks();
    if (state.shared_lock.is_held()) state.shared.forget();
    state.shared_lock.reset();
    begin_process();
    return;
  }
  while (process_mark->load(std::memory_order_acquire) == under_way) sched_yield();
}

}  // namespace wirecost::heap

// The system's own way into seccomp; what comes by a raw system call cannot be seen.
extern "C" [[gnu::visibility("default")]] int prctl(int option, ...) noexcept {
  va_list given;
  va_start(given, option);
  unsigned long words[4];
  for (unsigned long& word : words) word = va_arg(given, unsigned long);
  va_end(given);
  if (option == PR_SET_SECCOMP) wirecost::heap::is_restricted.store(true);
  return static_cast<int>(syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]));
}

// Shells and forked workers leave by these, which run no destructors.
extern "C" {
[[gnu::visibility("default")]] void _exit(int status) { wirecost::heap::leave_at_once(status); }
[[gnu::visibility("default")]] void _Exit(int status) { wirecost::heap::leave_at_once(status); }
}
