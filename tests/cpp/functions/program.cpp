// SPDX-License-Identifier: Apache-2.0
// A program without probes, whose functions leave in every way that a function can: each case
// prints what it computed, which must be the same with and without a recorder.
#include <immintrin.h>
#include <pthread.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cases.hpp"

namespace {

std::jmp_buf back;

void print(const char* name, long value) {
  std::printf("%s %ld\n", name, value);
  std::fflush(stdout);
}

void exceptions() {
  long caught = 0;
  for (int i = 0; i < 100; ++i) try {
      cases::throws_when_odd(i);
    } catch (const std::runtime_error& error) {
      caught += std::strlen(error.what());
    }
  print("exceptions", caught);
  long cleaned = 0;
  try {
    cases::throws_through(8, cleaned);
  } catch (int value) {
    print("through", value * 1000 + cleaned);
  }
  try {
    cases::rethrows(3);
  } catch (const std::exception& error) {
    print("rethrown", static_cast<long>(std::strlen(error.what())));
  }
}

void long_jumps() {
  static long turns = 0;
  static int turn = 0;
  for (; turn < 50; ++turn) {
    if (setjmp(back) == 0)
      cases::jumps_out(back, 5);
    else
      ++turns;
  }
  print("longjmp", turns);
  print("after_longjmp", cases::adds(1, 2));
}

void* ends_thread(void* argument) {
  cases::ends_its_thread(static_cast<long*>(argument));
  return nullptr;
}

void threads() {
  std::vector<std::thread> all;
  std::array<long, 8> sums{};
  for (long& sum : sums)
    all.emplace_back([&sum] {
      for (int i = 0; i < 1000; ++i) sum += cases::adds(i, cases::recursive(3));
    });
  for (std::thread& one : all) one.join();
  long sum = 0;
  for (const long one : sums) sum += one;
  print("threads", sum);
  long left = 0;
  pthread_t thread;
  pthread_create(&thread, nullptr, ends_thread, &left);
  pthread_join(thread, nullptr);
  print("pthread_exit", left);
}

ucontext_t main_context;
ucontext_t coroutine_context;
long coroutine_sum = 0;

void coroutine() {
  for (int i = 0; i < 10; ++i) coroutine_sum += cases::switches(coroutine_context, main_context, i);
}

void own_stacks() {
  static std::array<char, 1 << 16> stack;
  getcontext(&coroutine_context);
  coroutine_context.uc_stack.ss_sp = stack.data();
  coroutine_context.uc_stack.ss_size = stack.size();
  coroutine_context.uc_link = &main_context;
  makecontext(&coroutine_context, coroutine, 0);
  for (int i = 0; i < 11; ++i) {
    swapcontext(&main_context, &coroutine_context);
    coroutine_sum += cases::adds(i, i);
  }
  print("own_stack", coroutine_sum);
}

void forks() {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(static_cast<int>(cases::adds(20, 22)));
  int status = 0;
  waitpid(child, &status, 0);
  print("fork", WEXITSTATUS(status));
  const long parent = cases::forks_inside();
  if (parent == 0) _exit(0);
  print("fork_inside", parent);
}

void on_signal(int) { cases::adds(1, 1); }

void signals() {
  std::signal(SIGUSR1, on_signal);
  long sum = 0;
  for (int i = 0; i < 200; ++i) sum += cases::raises(SIGUSR1);
  print("signals", sum);
}

[[gnu::target("avx")]] void with_avx() {
  const __m256d result = cases::doubles(_mm256_set_pd(1, 2, 3, 4), _mm256_set_pd(5, 6, 7, 8));
  std::array<double, 4> values{};
  _mm256_storeu_pd(values.data(), result);
  print("vectors", static_cast<long>(values[0] + values[1] + values[2] + values[3]));
}

void vectors() { __builtin_cpu_supports("avx") ? with_avx() : print("vectors", 36); }

long mappings() {
  std::ifstream file("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

void opens_again_and_again(int times, const char* library) {
  long sum = cases::opens(library);
  const long before = mappings();
  for (int i = 1; i < times; ++i) sum += cases::opens(library);
  print("opened", sum);
  print("more_mappings", mappings() - before);
}

void forks_while_opening(int times, const char* library) {
  std::atomic<bool> stop{false};
  cases::adds(1, 1);
  std::thread opening([&] {
    while (!stop) cases::opens(library);
  });
  long ended = 0;
  for (int i = 0; i < times; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    ended += status == 0 ? 1 : 0;
  }
  stop = true;
  opening.join();
  print("forked", ended);
}

/// Two threads, one after the other, with one number; false where the kernel lets nobody choose it.
bool number_comes_again() {
  const auto works = [] {
    for (int i = 0; i < 3; ++i) cases::works(std::chrono::microseconds(50));
    return gettid();
  };
  pid_t first = 0;
  std::thread([&] { first = works(); }).join();
  pid_t second = 0;
  for (int tries = 0; tries < 100 && second != first; ++tries) {
    std::ofstream("/proc/sys/kernel/ns_last_pid") << first - 1;
    std::thread([&] {
      second = gettid();
      if (second == first) works();
    }).join();
  }
  return second == first;
}

void everything() {
  vectors();
  print("recursion", cases::recursive(20));
  print("deep_recursion", cases::recursive(200));
  print("tail", cases::tail_calls(7));
  print("tail_loop", cases::even(1001));
  print("tail_pointer", cases::tail_through_pointer(9));
  print("switch", cases::switches_over(0) + cases::switches_over(3) + cases::switches_over(9));
  print("many_arguments", cases::many(1, 2, 3, 4, 5, 6, 7, 8, 9.0, 10.0, 11.0L));
  print("long_double", static_cast<long>(cases::long_double(3.0L) * 100));
  print("structure", cases::structure(4).values[3]);
  print("variadic", cases::variadic(3, 10, 20, 30));
  print("short", cases::very_short());
  print("loop_at_entry", cases::loops_at_entry("hello"));
  exceptions();
  long_jumps();
  threads();
  own_stacks();
  forks();
  signals();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "all";
  const int times = count > 2 ? std::atoi(arguments[2]) : 1;
  if (what == "all")
    everything();
  else if (what == "calls")
    for (int i = 0; i < times; ++i) cases::works(std::chrono::microseconds(100));
  else if (what == "kill") {
    for (int i = 0; i < times; ++i) cases::works(std::chrono::microseconds(50));
    raise(SIGKILL);
  } else if (what == "open") {
    opens_again_and_again(times, arguments[3]);
  } else if (what == "same_thread") {
    print("same_thread", number_comes_again());
  } else if (what == "fork") {
    forks_while_opening(times, arguments[3]);
  }
  return 0;
}
