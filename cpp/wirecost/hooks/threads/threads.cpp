// SPDX-License-Identifier: Apache-2.0
// Threads whose names were asked for are recorded from one wait to the next. A thread is noticed
// when it names itself, else at its first wait.
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <exception>
#include <string>

#include "wirecost/hooks/own_work.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/record.hpp"
#include "wirecost/probe/thread_section.hpp"
#include "wirecost/probe/undisturbed.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr const char* patterns_variable = "WIRECOST_THREADS";
constexpr std::size_t name_bytes = 16;  // as the kernel has it

/// Lines, each a pattern. Never destroyed: threads may wait while the program ends.
const std::string* patterns = nullptr;
/// How often any thread was named; a new thread has seen none of them.
std::atomic<unsigned> namings{1};

struct Thread {
  unsigned seen;
  bool recorded, busy;
};
thread_local constinit Thread here{};

bool is_asked_for(const char* name) {
  for (std::size_t at = 0; at < patterns->size();) {
    const std::size_t end = std::min(patterns->find('\n', at), patterns->size());
    if (fnmatch(patterns->substr(at, end - at).c_str(), name, FNM_NOESCAPE) == 0) return true;
    at = end + 1;
  }
  return false;
}

/// Looks how the calling thread is named now.
void look() {
  if (patterns == nullptr || here.busy) return;
  const wirecost::hooks::OwnWork own_work;
  const wirecost::probe::Undisturbed undisturbed;
  here.busy = true;
  here.seen = namings.load(std::memory_order_relaxed);
  std::array<char, name_bytes> name{};
  prctl(PR_GET_NAME, name.data());
  try {
    if (is_asked_for(name.data())) {
      here.recorded = true;
      const std::string section = std::string("thread ") + name.data();
      wirecost_probe_thread(wirecost_probe_section(section.c_str()));
    } else if (here.recorded) {
      here.recorded = false;
      wirecost_probe_thread(wirecost::probe::no_parent);
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for a name
  }
  here.busy = false;
}

/// While one lives, the thread does nothing of its own.
class [[nodiscard]] Wait {
 public:
  Wait() {
    if (here.recorded) wirecost_probe_pause();
  }
  ~Wait() {
    const int number = errno;
    if (here.seen != namings.load(std::memory_order_relaxed)) look();
    if (here.recorded) wirecost_probe_resume();
    errno = number;
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
};

[[gnu::constructor]] void start() {
  const char* const asked = std::getenv(patterns_variable);
  if (asked == nullptr || *asked == '\0' || wirecost_probe_enabled() == 0) return;
  patterns = new std::string(asked);
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

int run(int count, char** words, char** environment) {
  look();
  return program(count, words, environment);
}

/// Functions of condition variables have an older version, too, which dlsym would return.
void* of_conditions(const char* name) {
#ifdef __x86_64__
  if (void* const found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2")) return found;
#endif
  return dlsym(RTLD_NEXT, name);
}

void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

}  // namespace

/// The first thread is recorded from the program's own `main` on: what comes before is the loader's
/// and that of preloaded libraries.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's name
EXPORTED int __libc_start_main(Main main, int count, char** words, void (*init)(), void (*finish)(),
                               void (*finish_loader)(), void* stack_end) {
  program = main;
  const auto next = reinterpret_cast<decltype(&__libc_start_main)>(next_of("__libc_start_main"));
  return next(run, count, words, init, finish, finish_loader, stack_end);
}

EXPORTED int pthread_setname_np(pthread_t thread, const char* name) {
  static void* const next = next_of("pthread_setname_np");
  const auto function = reinterpret_cast<decltype(&pthread_setname_np)>(next);
  if (function == nullptr) return ENOSYS;
  const int result = function(thread, name);
  if (result != 0 || patterns == nullptr) return result;
  namings.fetch_add(1, std::memory_order_relaxed);
  if (pthread_equal(thread, pthread_self()) != 0) look();
  return result;
}

EXPORTED int prctl(int option, ...) {
  std::array<unsigned long, 4> words{};
  std::va_list list;
  va_start(list, option);
  for (unsigned long& word : words) word = va_arg(list, unsigned long);
  va_end(list);
  static void* const next = next_of("prctl");
  const auto function = reinterpret_cast<decltype(&prctl)>(next);
  if (function == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  const int result = function(option, words[0], words[1], words[2], words[3]);
  if (option == PR_SET_NAME && result == 0) look();
  return result;
}

#define WIRECOST_WAITS_BY(find, type, name, parameters, ...)          \
  EXPORTED type name parameters {                                     \
    const Wait wait;                                                  \
    static void* const next = find(#name);                            \
    const auto function = reinterpret_cast<type(*) parameters>(next); \
    if (function != nullptr) return function(__VA_ARGS__);            \
    errno = ENOSYS;                                                   \
    return static_cast<type>(-1);                                     \
  }
#define WIRECOST_WAITS(type, name, parameters, ...) \
  WIRECOST_WAITS_BY(next_of, type, name, parameters, __VA_ARGS__)
#define WIRECOST_WAITS_FOR_CONDITION(type, name, parameters, ...) \
  WIRECOST_WAITS_BY(of_conditions, type, name, parameters, __VA_ARGS__)

WIRECOST_WAITS(int, nanosleep, (const timespec* time, timespec* left), time, left)
WIRECOST_WAITS(int, clock_nanosleep,
               (clockid_t clock, int flags, const timespec* time, timespec* left), clock, flags,
               time, left)
WIRECOST_WAITS(int, usleep, (useconds_t time), time)
WIRECOST_WAITS(unsigned, sleep, (unsigned time), time)

WIRECOST_WAITS(int, poll, (pollfd * files, nfds_t count, int time), files, count, time)
WIRECOST_WAITS(int, ppoll,
               (pollfd * files, nfds_t count, const timespec* time, const sigset_t* mask), files,
               count, time, mask)
WIRECOST_WAITS(int, select, (int count, fd_set* read, fd_set* write, fd_set* except, timeval* time),
               count, read, write, except, time)
WIRECOST_WAITS(int, pselect,
               (int count, fd_set* read, fd_set* write, fd_set* except, const timespec* time,
                const sigset_t* mask),
               count, read, write, except, time, mask)
WIRECOST_WAITS(int, epoll_wait, (int file, epoll_event* events, int most, int time), file, events,
               most, time)
WIRECOST_WAITS(int, epoll_pwait,
               (int file, epoll_event* events, int most, int time, const sigset_t* mask), file,
               events, most, time, mask)

WIRECOST_WAITS_FOR_CONDITION(int, pthread_cond_wait,
                             (pthread_cond_t * condition, pthread_mutex_t* mutex), condition, mutex)
WIRECOST_WAITS_FOR_CONDITION(int, pthread_cond_timedwait,
                             (pthread_cond_t * condition, pthread_mutex_t* mutex,
                              const timespec* until),
                             condition, mutex, until)
WIRECOST_WAITS(int, pthread_cond_clockwait,
               (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock,
                const timespec* until),
               condition, mutex, clock, until)
WIRECOST_WAITS(int, sem_wait, (sem_t * semaphore), semaphore)
WIRECOST_WAITS(int, sem_timedwait, (sem_t * semaphore, const timespec* until), semaphore, until)
WIRECOST_WAITS(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const timespec* until),
               semaphore, clock, until)
WIRECOST_WAITS(int, sigwait, (const sigset_t* set, int* signal), set, signal)
WIRECOST_WAITS(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), set, info)
WIRECOST_WAITS(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* time), set,
               info, time)
