// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "observer.hpp"
#include "selection.hpp"
#include "wirecost/probe/clock.hpp"
#include "wirecost/probe/settings.hpp"

namespace wirecost::function {
namespace {

constexpr int period_ms = 20;
constexpr int failed = 125;

int fail(const std::string& why) {
  std::fprintf(stderr, "wirecost probe: %s\n", why.c_str());
  return failed;
}

/// What exceptions pass: where they begin, go on after a destructor, and are caught.
Meaning meaning_of(const std::string& symbol) {
  if (symbol == "__cxa_begin_catch") return Meaning::caught;
  if (symbol == "_Unwind_RaiseException" || symbol == "_Unwind_Resume" ||
      symbol == "_Unwind_ForcedUnwind" || symbol == "_Unwind_Resume_or_Rethrow")
    return Meaning::thrown;
  return Meaning::counted;
}

void add_object(const std::string& path, const std::vector<std::string>& patterns,
                std::vector<Place>& places, std::vector<std::string>& sections) {
  const ElfFile file(path);
  if (!file.trouble().empty()) return;
  const auto add = [&](std::uint64_t address, Meaning meaning, std::size_t index) {
    if (const auto offset = file.offset_of(address))
      places.push_back({path, *offset, {meaning, static_cast<std::uint32_t>(index)}});
  };
  for (const FunctionSymbol& one : file.functions())
    if (const Meaning meaning = meaning_of(one.symbol); meaning != Meaning::counted)
      add(one.address, meaning, 0);
  if (is_runtime(path)) return;
  const std::vector<Selected> selected = select(file, patterns);
  std::vector<const Selected*> possible;
  for (const Selected& one : selected)
    if (one.refusal.empty()) possible.push_back(&one);
  const std::vector<std::string> names = section_names(possible);
  for (std::size_t i = 0; i < possible.size(); ++i) {
    const Code& code = possible[i]->code;
    if (!code.no_exits.empty()) continue;
    add(possible[i]->address, Meaning::entered, sections.size());
    for (const auto* exits : {&code.returns, &code.tail_jumps})
      for (const std::uint64_t exit : *exits) add(exit, Meaning::left, sections.size());
    sections.push_back(names[i]);
  }
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  if (DIR* folder = opendir(("/proc/" + std::to_string(process) + "/task").c_str())) {
    while (const dirent* entry = readdir(folder))
      if (const long thread = std::strtol(entry->d_name, nullptr, 10); thread > 0)
        threads.push_back(static_cast<pid_t>(thread));
    closedir(folder);
  }
  return threads;
}

/// The program, stopped before it executes until `go`.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command, const sigset_t& mask) {
    std::array<int, 2> pipe{-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      close(pipe[1]);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      char byte = 0;
      if (read(pipe[0], &byte, 1) != 1) _exit(failed);
      sigprocmask(SIG_SETMASK, &mask, nullptr);
      std::vector<char*> words;
      words.reserve(command.size() + 1);
      for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      execvp(words[0], words.data());
      std::fprintf(stderr, "wirecost probe: %s: %s\n", words[0], std::strerror(errno));
      _exit(127);
    }
    close(pipe[0]);
    start_ = pipe[1];
  }
  pid_t process() const { return process_; }
  void go() const {
    [[maybe_unused]] const auto written = write(start_, "g", 1);
    close(start_);
  }
  void give_up() const {
    close(start_);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_ = -1;
  int start_ = -1;
};

/// Passes on what was sent to this process alone; the terminal has sent to the program as well.
void pass_on(int signals, pid_t child, bool& stop) {
  signalfd_siginfo info;
  while (read(signals, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (child == 0)
      stop = true;
    else if (info.ssi_code != SI_KERNEL)
      kill(child, static_cast<int>(info.ssi_signo));
  }
}

/// Until the child has ended, or the process or the time is over. The child's status.
int follow(const Observation& observation, const Breakpoints& breakpoints, Observer& observer,
           pid_t child, int signals) {
  std::vector<pollfd> files{{signals, POLLIN, 0}};
  for (const auto& ring : breakpoints.rings()) files.push_back({ring->file(), POLLIN, 0});
  const std::int64_t end =
      observation.seconds > 0
          ? monotonic_ns() + static_cast<std::int64_t>(observation.seconds * 1e9)
          : INT64_MAX;
  bool stop = false;
  while (!stop && monotonic_ns() < end) {
    poll(files.data(), files.size(), period_ms);
    for (std::size_t i = 1; i < files.size(); ++i)
      if ((files[i].revents & (POLLHUP | POLLERR)) != 0) files[i].fd = -1;
    pass_on(signals, child, stop);
    observer.take(false);
    int status = 0;
    if (child != 0 && waitpid(child, &status, WNOHANG) == child)
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (child == 0 && kill(observation.process, 0) != 0 && errno == ESRCH) return 0;
  }
  return 0;
}

}  // namespace

int observe(const Observation& observation) {
  const std::string why = why_no_breakpoints();
  if (!why.empty()) return fail("uprobes: " + why);
  std::vector<Place> places;
  const probe::Settings& settings = probe::settings();
  LogPlan plan{.folder = settings.folder,
               .records = settings.records,
               .sections = {},
               .counters = {},
               .absent = {}};
  for (const std::string& path : observation.objects)
    add_object(path, observation.patterns, places, plan.sections);
  std::vector<const Counter*> counters;
  for (const std::string& name : settings.counters) {
    const Counter* counter = kernel_counter(name);
    if (counter != nullptr) counters.push_back(counter);
    (counter != nullptr ? plan.counters : plan.absent).push_back(name);
  }
  if (plan.folder.empty() || plan.sections.empty()) return fail("no function can be observed");
  sigset_t watched;
  sigset_t before;
  sigemptyset(&watched);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    sigaddset(&watched, signal);
  sigprocmask(SIG_BLOCK, &watched, &before);
  const int signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
  Breakpoints breakpoints;
  const std::string trouble = breakpoints.set(places);
  if (!trouble.empty()) return fail("uprobes: " + trouble);
  int status = 0;
  if (observation.command.empty()) {
    const std::vector<pid_t> threads = threads_of(observation.process);
    if (threads.empty()) return fail("there is no such process");
    for (const pid_t thread : threads) {
      const std::string uncounted = breakpoints.count(thread, false, counters);
      if (!uncounted.empty() && kill(thread, 0) == 0) return fail("uprobes: " + uncounted);
    }
    Observer observer(plan, breakpoints, static_cast<std::uint32_t>(observation.process));
    status = follow(observation, breakpoints, observer, 0, signals);
    observer.finish();
  } else {
    const Child child(observation.command, before);
    if (child.process() < 0) return fail(std::strerror(errno));
    const std::string uncounted = breakpoints.count(child.process(), true, counters);
    if (!uncounted.empty()) {
      child.give_up();
      return fail("uprobes: " + uncounted);
    }
    child.go();
    Observer observer(plan, breakpoints, static_cast<std::uint32_t>(child.process()));
    status = follow(observation, breakpoints, observer, child.process(), signals);
    observer.finish();
  }
  return status;
}

}  // namespace wirecost::function
