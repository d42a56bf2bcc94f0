// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <stdexcept>

namespace cases {
namespace {

struct Counting {
  long& count;
  ~Counting() { ++count; }
};

long twice(long value) { return value * 2; }
long (*volatile pointer)(long) = twice;

}  // namespace

long adds(long a, long b) { return a + inlined(b) - 2 * b; }

long recursive(int depth) { return depth == 0 ? 1 : recursive(depth - 1) + depth; }

void throws_when_odd(int number) {
  if (number % 2 == 1) throw std::runtime_error("odd");
}

void throws_through(int depth, long& cleaned) {
  const Counting counting{cleaned};
  if (depth == 0) throw 7;
  throws_through(depth - 1, cleaned);
}

void rethrows(int depth) {
  try {
    if (depth == 0) throw std::runtime_error("deepest");
    rethrows(depth - 1);
  } catch (...) {
    adds(depth, 1);
    throw;
  }
}

void jumps_out(std::jmp_buf& back, int depth) {
  if (depth == 0) std::longjmp(back, 1);
  jumps_out(back, depth - 1);
}

void ends_its_thread(long* left) {
  const Counting counting{*left};
  pthread_exit(nullptr);
}

long switches(ucontext_t& from, ucontext_t& to, long value) {
  swapcontext(&from, &to);
  return value * 10;
}

long forks_inside() {
  const pid_t child = fork();
  if (child == 0) return 0;
  int status = 0;
  waitpid(child, &status, 0);
  return 1;
}

long raises(int signal) {
  raise(signal);
  return 1;
}

__m256d doubles(__m256d a, __m256d b) {
  // More than one call: the first one makes the thread's log.
  return _mm256_add_pd(a, b);
}

long tail_calls(long value) { return twice(adds(value, 1)); }
long even(long value) { return value == 0 ? 1 : odd(value - 1); }
long odd(long value) { return value == 0 ? 0 : even(value - 1); }
long tail_through_pointer(long value) { return pointer(value + 1); }

long switches_over(long value) {
  switch (value) {
    case 0: return adds(1, 2);
    case 1: return adds(3, value);
    case 2: return twice(value) + 4;
    case 3: return value * value + 11;
    case 4: return adds(value, value) + 1;
    case 5: return 17 - value;
    case 6: return twice(twice(value));
    case 7: return adds(7, 7) * 2;
    default: return -1;
  }
}

long many(long a, long b, long c, long d, long e, long f, long g, long h, double i, double j,
          long double k) {
  return a + b + c + d + e + f + 100 * g + 1000 * h + static_cast<long>(i + j + k);
}

long double long_double(long double value) { return value / 7; }

Values structure(long value) { return {{value, value, value, value * 5, 0, 0, 0, 0}}; }

long variadic(int count, ...) {
  std::va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += va_arg(list, int);
  va_end(list);
  return sum;
}

long very_short() { return 5; }

long loops_at_entry(const char* text) {
  long sum = 0;
  for (; *text != 0; ++text) sum += *text;
  return sum;
}

void works(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

long opens(const char* library) {
  void* opened = dlopen(library, RTLD_NOW);
  if (opened == nullptr) return -1;
  const auto plugin = reinterpret_cast<long (*)(long)>(dlsym(opened, "plugin_work"));
  const long result = plugin == nullptr ? -2 : plugin(4);
  dlclose(opened);
  return result;
}

}  // namespace cases
