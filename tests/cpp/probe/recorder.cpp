// SPDX-License-Identifier: Apache-2.0
// A program with probes that the Python tests run: what it does is its first argument.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "wirecost/pmu_analyzer.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe.hpp"

namespace {

using wirecost::probe::Section;

void record(std::uint32_t id, int count) {
  for (int i = 0; i < count; ++i) {
    Section section(id, static_cast<std::uint64_t>(i));
    section.value(3 * i);
  }
}

void threads(int threads, int count) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back(record, static_cast<std::uint32_t>(t), count);
  for (std::thread& thread : all) thread.join();
}

void nested() {
  const std::uint32_t outer = wirecost_probe_section("outer");
  const std::uint32_t inner = wirecost_probe_section("inner");
  for (int i = 0; i < 3; ++i) {
    Section section(outer);
    try {
      const Section left_by_exception(inner);
      throw std::runtime_error("");
    } catch (const std::runtime_error&) {
      section.value(i);
    }
  }
  wirecost_probe_begin(outer, 7);
  wirecost_probe_begin(inner, 7);
  wirecost_probe_end(outer, 0);  // inner is given up
  wirecost_probe_end(inner, 0);  // and no longer open
  wirecost_probe_begin(inner, 8);
}

/// A name that has no room in the header, more of them than the header has room for, and a time
/// that is over.
void named() {
  const std::string longest = "/a" + std::string(200, 'n') + "/\u00e9nd";
  const std::uint32_t id = wirecost_probe_section(longest.c_str());
  wirecost_probe_begin(id, 5);
  wirecost_probe_span(wirecost_probe_section("wait"), 100, 350, WIRECOST_PROBE_COUNT_LOOPS, -4,
                      UINT64_C(1) << 63);
  wirecost_probe_end(id, 0);
  std::uint32_t last = 0;
  for (int i = 0; i < 300; ++i)
    last = wirecost_probe_section(std::to_string(i).append("th").c_str());
  std::thread(record, last, 1).join();
}

void forever() {
  for (std::uint64_t i = 0;; ++i) {
    wirecost_probe_begin(1, i);
    wirecost_probe_end(1, static_cast<std::int64_t>(i));
    if (i == 1000) std::puts("running"), std::fflush(stdout);
  }
}

void faults(int count) {
  wirecost_probe_name(5, "touches pages");
  constexpr std::size_t pages = 50;
  for (int i = 0; i < count; ++i) {
    void* memory =
        mmap(nullptr, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
    wirecost_probe_begin(5, WIRECOST_PROBE_COUNT_LOOPS);
    for (std::size_t page = 0; page < pages; ++page)
      static_cast<volatile char*>(memory)[page * 4096] = 1;
    wirecost_probe_end(5, pages);
    munmap(memory, pages * 4096);
  }
}

/// Sections whose time follows their page faults, and sections whose time follows their input.
void planted(int count) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t pages = 6000;
  wirecost_probe_name(1, "faults");
  wirecost_probe_name(2, "input");
  std::uint64_t state = 1;
  volatile std::uint64_t sink = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t size = static_cast<std::size_t>(i) * 7919 % pages;
    auto* memory = static_cast<volatile char*>(
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(const_cast<char*>(memory), pages * page, MADV_NOHUGEPAGE);
    wirecost_probe_begin(1, WIRECOST_PROBE_COUNT_LOOPS);
    for (std::size_t at = 0; at < size; ++at) memory[at * page] = 1;
    wirecost_probe_end(1, 0);
    munmap(const_cast<char*>(memory), pages * page);
    wirecost_probe_begin(2, WIRECOST_PROBE_COUNT_LOOPS);
    for (std::size_t step = 0; step < 1000 * size; ++step) state = state * 6364136223846793005 + 1;
    sink = state;
    wirecost_probe_end(2, static_cast<std::int64_t>(size));
  }
  static_cast<void>(sink);
}

void forked() {
  record(1, 2);
  const pid_t child = fork();
  record(child == 0 ? 3 : 2, 2);
  if (child != 0) waitpid(child, nullptr, 0);
}

void deep() {
  for (std::uint32_t i = 0; i < 40; ++i) wirecost_probe_begin(i, 0);
  for (std::uint32_t i = 40; i-- != 0;) wirecost_probe_end(i, 0);
}

void elapsed() {
  std::string session = "session";
  pmu_analyzer::PMU_INIT();
  pmu_analyzer::ELAPSED_TIME_INIT(session);
  for (int i = 0; i < 4; ++i) {
    pmu_analyzer::PMU_TRACE_START(9);
    pmu_analyzer::ELAPSED_TIME_TIMESTAMP(session, 0, true, 100 + i);
    pmu_analyzer::VAR_LOG_SINGLE(session, "single", 0.5 * i);
    pmu_analyzer::ELAPSED_TIME_TIMESTAMP(session, 1, false, 0);
    pmu_analyzer::ELAPSED_TIME_TIMESTAMP(session, 2, false, 0);
    pmu_analyzer::PMU_TRACE_END(9);
  }
  std::string variable = "vector";
  std::vector<double> vector(19);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = static_cast<double>(i) / 8;
  pmu_analyzer::OUTPUT_VARIABLE(session, variable, vector);
  pmu_analyzer::VAR_LOG_VEC(session, "empty", {});
  pmu_analyzer::VAR_LOG_STRING(session, "text", {"straße", std::string(70, 'x')});
  pmu_analyzer::ELAPSED_TIME_CLOSE(session);
  pmu_analyzer::PMU_CLOSE();
}

/// Every thread records, all logs are cut, every thread records on.
void cut(int count, int times, std::uintmax_t bytes) {
  std::barrier half(count + 1);
  std::vector<std::thread> all;
  for (int t = 0; t < count; ++t)
    all.emplace_back([&half, t, times] {
      record(static_cast<std::uint32_t>(t), times);
      half.arrive_and_wait();
      half.arrive_and_wait();
      record(static_cast<std::uint32_t>(t), times);
    });
  half.arrive_and_wait();
  for (const auto& log : std::filesystem::directory_iterator(std::getenv("WIRECOST_PROBE")))
    std::filesystem::resize_file(log, bytes);
  half.arrive_and_wait();
  for (std::thread& thread : all) thread.join();
}

sigjmp_buf before_fault;
volatile char* lost_page = nullptr;

void say(const char* text) {
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, text, std::strlen(text));
}

void with_information(int, siginfo_t* info, void*) {
  say(info->si_addr == const_cast<char*>(lost_page) ? "its own page\n" : "another page\n");
  siglongjmp(before_fault, 1);
}

void without_information(int) {
  say("a signal\n");
  siglongjmp(before_fault, 1);
}

/// SIGBUS that is not the probe's affair reaches whom it would reach without a probe.
void foreign(const std::string& handler, bool sent) {
  struct sigaction own{};
  if (handler == "information") own.sa_sigaction = with_information, own.sa_flags = SA_SIGINFO;
  if (handler == "plain") own.sa_handler = without_information;
  if (handler == "once") own.sa_handler = [](int) { say("once\n"); }, own.sa_flags = SA_RESETHAND;
  if (handler == "ignore") own.sa_handler = SIG_IGN;
  sigaction(SIGBUS, &own, nullptr);
  record(1, 2);
  std::FILE* file = std::tmpfile();
  lost_page = static_cast<volatile char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0));
  if (sigsetjmp(before_fault, 1) == 0) {
    if (sent)
      raise(SIGBUS);
    else
      *lost_page = 1;
  }
  record(1, 2);
}

/// With the last log, the handler is gone.
void left() {
  std::thread(record, 1, 2).join();
  struct sigaction now{};
  sigaction(SIGBUS, nullptr, &now);
  std::puts(now.sa_handler == SIG_DFL ? "default" : "changed");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return argc > i ? std::atoi(argv[i]) : 0; };
  if (what == "threads") threads(number(2), number(3));
  if (what == "nested") nested();
  if (what == "named") named();
  if (what == "forever") forever();
  if (what == "faults") faults(number(2));
  if (what == "planted") planted(number(2));
  if (what == "fork") forked();
  if (what == "deep") deep();
  if (what == "elapsed") elapsed();
  if (what == "cut") cut(number(2), number(3), static_cast<std::uintmax_t>(number(4)));
  if (what == "fault") foreign(argv[2], false);
  if (what == "signal") foreign(argv[2], true);
  if (what == "left") left();
  std::puts("done");
}
