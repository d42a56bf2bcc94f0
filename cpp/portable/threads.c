/* SPDX-License-Identifier: Apache-2.0
 * Waits until a time of a named clock (glibc 2.30). Where glibc has them they are called; elsewhere
 * a time of the monotonic clock becomes one of the clock that the wait has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include "visibility.h"

/* glibc 2.32: whether there is one thread only. `No` is always right. */
extern char stand_in_single_threaded STANDS_IN_FOR("__libc_single_threaded");
char stand_in_single_threaded = 0;

int stand_in_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*)
    STANDS_IN_FOR("pthread_cond_clockwait");
int stand_in_mutex_clocklock(pthread_mutex_t*, clockid_t, const struct timespec*)
    STANDS_IN_FOR("pthread_mutex_clocklock");

typedef int (*CondClockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
typedef int (*MutexClocklock)(pthread_mutex_t*, clockid_t, const struct timespec*);

static CondClockwait cond_clockwait;
static MutexClocklock mutex_clocklock;

/* By the version, so that a stand-in of another library is not found. */
__attribute__((constructor)) static void find_newer(void) {
  cond_clockwait = (CondClockwait)dlvsym(RTLD_DEFAULT, "pthread_cond_clockwait", "GLIBC_2.34");
  mutex_clocklock = (MutexClocklock)dlvsym(RTLD_DEFAULT, "pthread_mutex_clocklock", "GLIBC_2.34");
}

static struct timespec in_real_time(clockid_t clock, const struct timespec* until) {
  if (clock == CLOCK_REALTIME) return *until;
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  struct timespec result = {real.tv_sec + until->tv_sec - now.tv_sec,
                            real.tv_nsec + until->tv_nsec - now.tv_nsec};
  for (; result.tv_nsec < 0; --result.tv_sec) result.tv_nsec += 1000000000;
  for (; result.tv_nsec >= 1000000000; ++result.tv_sec) result.tv_nsec -= 1000000000;
  return result;
}

int stand_in_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                            const struct timespec* until) {
  if (cond_clockwait) return cond_clockwait(condition, mutex, clock, until);
  const struct timespec real = in_real_time(clock, until);
  return pthread_cond_timedwait(condition, mutex, &real);
}

int stand_in_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                             const struct timespec* until) {
  if (mutex_clocklock) return mutex_clocklock(mutex, clock, until);
  const struct timespec real = in_real_time(clock, until);
  return pthread_mutex_timedlock(mutex, &real);
}
