// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>
#include <ucontext.h>

#include <chrono>
#include <csetjmp>

namespace cases {

struct Values {
  long values[8];
};

long adds(long a, long b);
long recursive(int depth);
void throws_when_odd(int number);
void throws_through(int depth, long& cleaned);
void rethrows(int depth);
[[noreturn]] void jumps_out(std::jmp_buf& back, int depth);
void ends_its_thread(long* left);
long switches(ucontext_t& from, ucontext_t& to, long value);
long forks_inside();
long raises(int signal);
[[gnu::target("avx")]] __m256d doubles(__m256d a, __m256d b);
long tail_calls(long value);
long even(long value);
long odd(long value);
long tail_through_pointer(long value);
long switches_over(long value);
long many(long a, long b, long c, long d, long e, long f, long g, long h, double i, double j,
          long double k);
long double long_double(long double value);
Values structure(long value);
long variadic(int count, ...);
long very_short();
long loops_at_entry(const char* text);
void works(std::chrono::microseconds time);
long opens(const char* library);
inline long inlined(long value) { return value * 3; }

}  // namespace cases
