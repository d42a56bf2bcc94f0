// SPDX-License-Identifier: Apache-2.0
// What one page fault, context switch, migration, futex wait, system call and allocation costs on
// this machine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <thread>
#include <vector>

namespace nb = nanobind;

namespace {

using Samples = std::vector<double>;

constexpr std::size_t pages = 1024;
constexpr int calls = 2000;
constexpr int handovers = 300;

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

double touch(volatile unsigned char* memory, std::size_t page) {
  const double begin = now_ns();
  for (std::size_t i = 0; i < pages; ++i) memory[i * page] = 1;
  return now_ns() - begin;
}

/// Per page: first touch less second touch of fresh anonymous memory of small pages.
double minor_fault() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "no memory");
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  auto* bytes = static_cast<unsigned char*>(memory);
  const double first = touch(bytes, page);
  const double second = touch(bytes, page);
  munmap(memory, pages * page);
  return (first - second) / pages;
}

double system_call() {
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) syscall(SYS_getppid);
  return (now_ns() - begin) / calls;
}

/// Per pair of malloc and free, of sizes that follow no order, while other blocks are in use: a
/// loop of one size gets the block back that it has just given.
double allocation() {
  constexpr std::size_t kept = 4096, pairs = 16 * kept, smallest = 16, sizes = 32;
  std::vector<void*> blocks(kept, nullptr);
  std::uint32_t random = 1;
  const auto exchange = [&] {
    random = random * 1664525U + 1013904223U;
    void*& block = blocks[(random >> 8) % kept];
    std::free(block);
    block = std::malloc(smallest * (1 + (random >> 24) % sizes));
    if (block != nullptr) *static_cast<volatile unsigned char*>(block) = 1;
  };
  for (std::size_t i = 0; i < pairs; ++i) exchange();  // takes the memory from the kernel
  const double begin = now_ns();
  for (std::size_t i = 0; i < pairs; ++i) exchange();
  const double elapsed = now_ns() - begin;
  for (void* block : blocks) std::free(block);
  return elapsed / pairs;
}

class Affinity {
 public:
  Affinity() { require(sched_getaffinity(0, sizeof(usable_), &usable_) == 0, "no affinity"); }
  ~Affinity() { sched_setaffinity(0, sizeof(usable_), &usable_); }
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;

  /// The n-th CPU that may be used; -1 where there are fewer.
  int cpu(int n) const {
    for (int one = 0; one < CPU_SETSIZE; ++one)
      if (CPU_ISSET(one, &usable_) && n-- == 0) return one;
    return -1;
  }

 private:
  cpu_set_t usable_{};
};

void run_on(int cpu) {
  cpu_set_t one{};
  CPU_SET(cpu, &one);
  require(sched_setaffinity(0, sizeof(one), &one) == 0, "CPU not permitted");
}

/// Per move to another CPU: setting the affinity so that the thread must move, less setting it to
/// the CPU where the thread is.
double migration() {
  const Affinity affinity;
  const int here = affinity.cpu(0), there = affinity.cpu(1);
  require(there >= 0, "needs two CPUs");
  constexpr int moves = 50;
  run_on(here);
  double begin = now_ns();
  for (int i = 0; i < moves; ++i) run_on(here);
  const double staying = now_ns() - begin;
  begin = now_ns();
  for (int i = 0; i < moves; ++i) run_on(i % 2 == 0 ? there : here);
  return (now_ns() - begin - staying) / moves;
}

int futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return static_cast<int>(
      syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0));
}

void hand_over(std::atomic<std::uint32_t>& turn, std::uint32_t to) {
  turn.store(to, std::memory_order_release);
  futex(turn, FUTEX_WAKE, 1);
}

void await(std::atomic<std::uint32_t>& turn, std::uint32_t mine) {
  while (turn.load(std::memory_order_acquire) != mine) futex(turn, FUTEX_WAIT, 1 - mine);
}

/// Two threads, on `first` and `second`, wake each other in turns; nanoseconds for one turn.
double turns(int first, int second) {
  std::atomic<std::uint32_t> turn{0};
  std::atomic<bool> failed{false};
  const auto on = [&failed](int cpu) {
    try {
      run_on(cpu);
    } catch (const std::exception&) {
      failed = true;
    }
  };
  std::thread other([&] {
    on(second);
    for (int i = 0; i < handovers; ++i) {
      await(turn, 1);
      hand_over(turn, 0);
    }
  });
  on(first);
  const double begin = now_ns();
  for (int i = 0; i < handovers; ++i) {
    hand_over(turn, 1);
    await(turn, 0);
  }
  const double elapsed = now_ns() - begin;
  other.join();
  require(!failed, "CPU not permitted");
  return elapsed / (2 * handovers);
}

/// Waking nobody, and waiting where the value has changed: what a turn has beside its switch.
double calls_of_turn() {
  std::atomic<std::uint32_t> word{0};
  const double begin = now_ns();
  for (int i = 0; i < calls; ++i) {
    futex(word, FUTEX_WAKE, 1);
    futex(word, FUTEX_WAIT, 1);
  }
  return (now_ns() - begin) / calls;
}

/// From one thread to another on the same CPU, less the two system calls that ask for it.
double context_switch() {
  const Affinity affinity;
  const int cpu = affinity.cpu(0);
  return turns(cpu, cpu) - calls_of_turn();
}

/// From the end of a wait in one thread until the thread that it waits for has it, on another CPU.
double futex_wait() {
  const Affinity affinity;
  const int other = affinity.cpu(1);
  require(other >= 0, "needs two CPUs");
  return turns(affinity.cpu(0), other);
}

template <double (*measure)()>
Samples repeated(std::size_t repetitions) {
  const nb::gil_scoped_release unlocked;
  measure();  // what the first one takes for itself is not counted
  Samples samples(repetitions);
  std::ranges::generate(samples, measure);
  return samples;
}

}  // namespace

void bind_prices(nb::module_& m) {
  m.def("price_minor_fault", &repeated<minor_fault>, nb::arg("repetitions"));
  m.def("price_context_switch", &repeated<context_switch>, nb::arg("repetitions"));
  m.def("price_migration", &repeated<migration>, nb::arg("repetitions"));
  m.def("price_futex_wait", &repeated<futex_wait>, nb::arg("repetitions"));
  m.def("price_system_call", &repeated<system_call>, nb::arg("repetitions"));
  m.def("price_allocation", &repeated<allocation>, nb::arg("repetitions"));
}
