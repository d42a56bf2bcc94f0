// SPDX-License-Identifier: Apache-2.0
// A controller with one fault per run, on purpose, as a program and as a plugin that the program
// opens.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rt {

constexpr int cycles = 300;
constexpr std::size_t page = 4096;

std::mutex held_by_other, free_lock;
pthread_spinlock_t spin;
int pair[2];
alignas(page) char untouched[page * (cycles + 2)];
char initialized[page * (cycles + 2)] = {1};
std::vector<double> reserved, growing;
void* volatile kept;
double volatile sum = 0;

[[gnu::noinline]] double polynomial(double x) { return ((x * 3 + 2) * x + 1) * x; }

/// Ten small functions that a cycle calls, where the load of a loop is measured.
template <int number>
[[gnu::noinline]] void step(double x) {
  for (int i = 0; i < 1500; ++i) sum = sum + polynomial(x + i + number);
}

void allocate() {
  kept = ::operator new(48);
  ::operator delete(kept);
}

struct Controller {
  virtual ~Controller() = default;
  virtual void update(std::string_view fault, int cycle);
};

void Controller::update(std::string_view fault, int cycle) {
  sum = sum + polynomial(cycle);
  if (fault == "none") return;
  if (fault == "reserved vector") {
    reserved.clear();
    reserved.push_back(cycle);
  }
  if (fault == "try_lock") {
    std::unique_lock lock(held_by_other, std::try_to_lock);
  }
  if (fault == "clock") {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum = sum + now.tv_nsec;
  }
  if (fault == "free mutex") {
    std::lock_guard lock(free_lock);
  }
  if (fault == "spin lock") {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
  }
  if (fault == "new, delete") allocate();
  if (fault == "malloc, free") {
    kept = std::malloc(48);
    std::free(kept);
  }
  if (fault == "vector grows") {
    growing.push_back(cycle);
    growing.shrink_to_fit();
  }
  if (fault == "long string") kept = const_cast<char*>(std::string(48, char(cycle)).data());
  if (fault == "std::function") {
    double a[4] = {1, 2, 3, double(cycle)};
    std::function<double()> call = [a] { return a[0] + a[3]; };
    sum = sum + call();
  }
  if (fault == "posix_memalign") {
    void* at;
    if (posix_memalign(&at, 64, 64) == 0) std::free(at);
  }
  if (fault == "throw, catch") {
    try {
      throw std::runtime_error("late");
    } catch (const std::exception&) {
    }
  }
  if (fault == "held mutex") {
    std::lock_guard lock(held_by_other);
  }
  if (fault == "condition") {
    std::unique_lock lock(free_lock);
    std::condition_variable().wait_for(lock, std::chrono::microseconds(50));
  }
  if (fault == "sleep") usleep(20);
  if (fault == "poll") poll(nullptr, 0, 0);
  if (fault == "open, close") close(open("/dev/null", O_RDONLY));
  if (fault == "write") sum = sum + write(pair[0], "x", 0);
  if (fault == "printf") {
    std::printf("%d\n", cycle);
    std::fflush(stdout);
  }
  if (fault == "printf that is buffered") std::printf("%d\n", cycle);
  if (fault == "std::cout") std::cout << cycle << std::endl;
  if (fault == "fopen") std::fclose(std::fopen("/dev/null", "r"));
  if (fault == "send, recv") {
    char byte;
    send(pair[0], "x", 1, 0);
    recv(pair[1], &byte, 1, 0);
  }
  if (fault == "mmap, munmap")
    munmap(mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), page);
  if (fault == "thread") std::thread([] {}).join();
  if (fault == "syscall") syscall(SYS_getppid);
  if (fault == "syscall instruction") {
    long result = SYS_getppid;
    asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  }
  if (fault == "first touch") untouched[page * (cycle + 1)] = 1;
  if (fault == "copy on write") initialized[page * (cycle + 1)] = 1;
  if (fault == "lazy binding" && cycle == cycles / 2) sum = std::erfc(sum);
  if (fault == "ten functions") {
    step<0>(cycle), step<1>(cycle), step<2>(cycle), step<3>(cycle), step<4>(cycle);
    step<5>(cycle), step<6>(cycle), step<7>(cycle), step<8>(cycle), step<9>(cycle);
  }
}

/// Holds the mutex nearly always.
void hold() {
  for (;;) {
    const std::lock_guard lock(held_by_other);
    usleep(200);
  }
}

}  // namespace rt

extern "C" rt::Controller* make() {
  pthread_spin_init(&rt::spin, PTHREAD_PROCESS_PRIVATE);
  rt::reserved.reserve(8);
  for (std::size_t at = 0; at < sizeof(rt::initialized); at += rt::page)
    rt::sum = rt::sum + rt::initialized[at];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, rt::pair) != 0) std::abort();
  std::thread(rt::hold).detach();
  return new rt::Controller;
}

#ifndef PLUGIN
/// FAULT [PLUGIN [CYCLES]]: at 1 kHz.
int main(int count, char** words) {
  auto* create = make;
  if (count > 2 && *words[2] != '\0')
    create =
        reinterpret_cast<decltype(create)>(dlsym(dlopen(words[2], RTLD_NOW | RTLD_LOCAL), "make"));
  rt::Controller* const controller = create();
  const int cycles = count > 3 ? std::atoi(words[3]) : rt::cycles;
  timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int i = 0; i < cycles; ++i) {
    next.tv_nsec += 1'000'000;
    if (next.tv_nsec >= 1'000'000'000) next.tv_nsec -= 1'000'000'000, ++next.tv_sec;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    clock_gettime(CLOCK_MONOTONIC, &next);  // what was missed is not made up for
    controller->update(words[1], i);
  }
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  std::fprintf(stderr, "used %ld ns\n", used.tv_sec * 1'000'000'000 + used.tv_nsec);
  std::_Exit(0);  // while the other thread goes on
}
#endif
