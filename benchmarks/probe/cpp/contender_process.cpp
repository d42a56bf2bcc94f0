// SPDX-License-Identifier: Apache-2.0
#include "probe/cpp/contender_process.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace wirecost::bench::probe {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t longest_reason = 256;
constexpr std::size_t record_bytes = 128;

/// The ends of all processes' pipes that this process, the parent, keeps.
std::vector<int>& ends_of_parent() {
  static std::vector<int> ends;
  return ends;
}

bool send(int file, const void* what, std::size_t size) {
  return write(file, what, size) == static_cast<ssize_t>(size);
}

bool receive(int file, void* what, std::size_t size) {
  return read(file, what, size) == static_cast<ssize_t>(size);
}

/// New memory for `plant`: mapped beforehand, so that the section holds the faults alone.
volatile char* fresh = nullptr;

void work(std::size_t pages) {
  for (std::size_t i = 0; i < pages; ++i) fresh[i * page] = 1;
  volatile std::uint64_t count = 0;
  while (count < pages * planted_instructions) count = count + 1;
}

Seen planted(Contender& contender, std::size_t pages) {
  void* memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  fresh = static_cast<volatile char*>(memory);
  const Seen seen = contender.around(work, pages);
  munmap(memory, pages * page);
  return seen;
}

std::int64_t timed(Contender& contender, std::size_t times) {
  contender.run(warm_runs);
  const auto begin = std::chrono::steady_clock::now();
  contender.run(times);
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

ContenderProcess::ContenderProcess(Contender& contender, const std::string& folder,
                                   std::size_t records)
    : name_(contender.about().case_name + ", " + contender.about().name) {
  std::array<int, 2> orders{};
  std::array<int, 2> answers{};
  if (pipe(orders.data()) != 0 || pipe(answers.data()) != 0)
    throw std::runtime_error("no pipe can be opened");
  std::fflush(stdout);  // or the process would print it again
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process can be started");
  if (process_ == 0) {
    // Or no process would see the end of its orders while this process lives.
    for (const int end : ends_of_parent()) close(end);
    close(orders[1]);
    close(answers[0]);
    if (contender.about().records.empty()) {
      unsetenv("WIRECOST_PROBE");
    } else {
      setenv("WIRECOST_PROBE", folder.c_str(), 1);
      setenv("WIRECOST_PROBE_COUNTERS", contender.about().counters.c_str(), 1);
      setenv("WIRECOST_PROBE_SIZE", std::to_string(records * record_bytes).c_str(), 1);
    }
    serve(contender, orders[0], answers[1]);
  }
  close(orders[0]);
  close(answers[1]);
  orders_ = orders[1];
  answers_ = answers[0];
  ends_of_parent().insert(ends_of_parent().end(), {orders_, answers_});
  std::array<char, longest_reason> reason{};
  if (!receive(answers_, reason.data(), reason.size()))
    throw std::runtime_error(name_ + ": its process ended before it was prepared");
  missing_ = reason.data();
}

void ContenderProcess::serve(Contender& contender, int orders, int answers) {
  std::array<char, longest_reason> reason{};
  contender.prepare().copy(reason.data(), reason.size() - 1);
  bool going = send(answers, reason.data(), reason.size());
  for (Order order{}; going && receive(orders, &order, sizeof(order));) {
    if (order.planted_pages != 0) {
      const Seen seen = planted(contender, order.planted_pages);
      going = send(answers, &seen, sizeof(seen));
    } else {
      const std::int64_t ns = timed(contender, order.times);
      going = send(answers, &ns, sizeof(ns));
    }
  }
  std::exit(0);
}

template <class Answer>
Answer ContenderProcess::ask(const Order& order) {
  Answer answer;
  if (!send(orders_, &order, sizeof(order)) || !receive(answers_, &answer, sizeof(answer)))
    throw std::runtime_error(name_ + ": its process ended early");
  return answer;
}

std::int64_t ContenderProcess::measure(std::size_t times) { return ask<std::int64_t>({0, times}); }

Seen ContenderProcess::plant(std::size_t pages) { return ask<Seen>({pages, 0}); }

ContenderProcess::~ContenderProcess() {
  std::erase_if(ends_of_parent(), [this](int end) { return end == orders_ || end == answers_; });
  close(orders_);
  close(answers_);
  waitpid(process_, nullptr, 0);
}

}  // namespace wirecost::bench::probe
