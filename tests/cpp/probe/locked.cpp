// SPDX-License-Identifier: Apache-2.0
// Waits for a lock where a wait that is recorded must not change anything:
//   loading PLUGIN   while another thread loads a library whose constructor wants the lock
//   errno            errno is as it was
//   section, cancelled-section   the same for the first section of a thread, without a lock
//   cancel           a thread that is being cancelled does not end before it reaches such a point
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "wirecost/probe.h"

pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;

namespace {

std::atomic<pid_t> waiter{0};
std::atomic<pid_t> loader{0};

/// Until the kernel has put that thread to sleep.
void wait_until_asleep(const std::atomic<pid_t>& thread) {
  for (std::string text; text.find(") S") == std::string::npos; usleep(1000)) {
    if (thread == 0) continue;
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::getline(file, text);
  }
}

int number_after = -1;
std::atomic<bool> went_on{false};

void* wait_for_lock(void* cancelled) {
  int before = 0;
  if (cancelled != nullptr) pthread_cancel(pthread_self());
  waiter = gettid();
  errno = 77;
  pthread_mutex_lock(&wanted);
  pthread_mutex_unlock(&wanted);
  number_after = errno;
  went_on = true;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return nullptr;
}

void* record_section(void* cancelled) {
  int before = 0;
  if (cancelled != nullptr) pthread_cancel(pthread_self());
  errno = 77;
  wirecost_probe_begin(1, WIRECOST_PROBE_COUNT_LOOPS);
  wirecost_probe_end(1, 0);
  number_after = errno;
  went_on = true;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return nullptr;
}

int print() {
  return std::printf("errno %d, went on %d\n", number_after, went_on.load() ? 1 : 0) > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what.ends_with("section")) {
    pthread_t records;
    pthread_create(&records, nullptr, record_section, what == "section" ? nullptr : &records);
    pthread_join(records, nullptr);
    return print();
  }
  wirecost_probe_section("any");
  pthread_mutex_lock(&wanted);
  pthread_t waits;
  pthread_create(&waits, nullptr, wait_for_lock, what == "cancel" ? &waits : nullptr);
  wait_until_asleep(waiter);
  std::thread loads([&] {
    if (what != "loading") return;
    loader = gettid();
    if (dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) == nullptr) std::puts(dlerror());
  });
  // Behind the other thread: the lock goes to whoever waited first.
  if (what == "loading") wait_until_asleep(loader);
  pthread_mutex_unlock(&wanted);
  pthread_join(waits, nullptr);
  loads.join();
  return print();
}
