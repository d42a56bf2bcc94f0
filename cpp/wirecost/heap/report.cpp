// SPDX-License-Identifier: Apache-2.0
// What the process did, as text for people and JSON for `--pool auto`. Format: docs/heap.md.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "wirecost/heap/heap.hpp"
#include "wirecost/heap/state.hpp"

namespace wirecost::heap {

namespace {

int report_descriptor = 2;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// The name of a thread, of characters that need no escape in JSON.
struct Name {
  char text[16] = "gone";

  explicit Name(const ThreadCache& cache) {
    if (cache.ended) {
      memcpy(text, cache.name, sizeof text);
    } else {
      read_running(cache.thread);
    }
    text[sizeof text - 1] = '\0';
    for (char* at = text; *at != '\0'; ++at) {
      if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\') *at = '?';
    }
  }

 private:
  void read_running(pid_t thread) {
    char path[64] = "/proc/self/task/";
    append(path, static_cast<std::uint64_t>(thread));
    strcat(path, "/comm");
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    if (char* newline = strchr(text, '\n')) *newline = '\0';
  }
};

std::uint64_t positive(std::int64_t value) {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

void write_text(Writer& out) {
  const PoolState pool = state.pool.state();
  const Config& config = state.config;
  out.put("wirecost heap: process ").put(static_cast<std::uint64_t>(getpid()));
  out.put(": pool ").put(std::uint64_t{config.pool_bytes / mebibyte}).put(" MiB, at the end ");
  out.put(std::uint64_t{pool.bytes / mebibyte}).put(" MiB (").put(pool.grown);
  out.put(" growths in the background, ").put(pool.waited).put(" waited for), peak ");
  out.put(std::uint64_t{pool.peak_bytes / mebibyte}).put(" MiB in use");
  if (config.lock) out.put(pool.refused_lock ? ", not all locked (RLIMIT_MEMLOCK)" : ", locked");
  if (config.huge) out.put(", huge pages asked for");
  out.put("\nthread            tid  allocations        KiB   peak KiB");
  out.put(state.threads.warm() ? "  minor faults  major  (after the warm-up)\n"
                               : "  (faults: ended within the warm-up)\n");
  const bool warm = state.threads.warm();
  const auto ended = state.threads.for_each([&](const ThreadCache& cache, Faults faults) {
    const Name name(cache);
    const ThreadCounts counts = cache.counts();
    out.put(name.text);
    for (std::size_t used = strlen(name.text); used < 15; ++used) out.put(" ");
    out.column(static_cast<std::uint64_t>(cache.thread), 6).column(counts.allocations, 13);
    out.column(counts.bytes / 1024, 11).column(positive(counts.peak) / 1024, 11);
    if (warm) out.column(faults.minor, 14).column(faults.major, 7);
    out.put("\n");
  });
  if (ended.threads == 0) return;
  out.put(ended.threads).put(" earlier threads: ").put(ended.counts.allocations);
  out.put(" allocations, ").put(ended.counts.bytes / 1024).put(" KiB");
  if (warm) out.put(", ").put(ended.faults.minor).put(" minor faults");
  out.put("\n");
}

void write_faults(Writer& out, Faults faults) {
  if (!state.threads.warm()) {
    out.put(R"(,"minor_faults":null,"major_faults":null})");
    return;
  }
  out.put(R"(,"minor_faults":)").put(faults.minor);
  out.put(R"(,"major_faults":)").put(faults.major).put("}");
}

void write_json(Writer& out) {
  const PoolState pool = state.pool.state();
  out.put(R"({"format":"wirecost-heap-report","version":1,"pid":)");
  out.put(static_cast<std::uint64_t>(getpid()));
  out.put(R"(,"warmup_s":)").put(state.config.warmup_s);
  out.put(R"(,"pool":{"initial_bytes":)").put(std::uint64_t{state.config.pool_bytes});
  out.put(R"(,"bytes":)").put(std::uint64_t{pool.bytes});
  out.put(R"(,"used_bytes":)").put(std::uint64_t{pool.used_bytes});
  out.put(R"(,"peak_bytes":)").put(std::uint64_t{pool.peak_bytes});
  out.put(R"(,"growths_in_background":)").put(pool.grown);
  out.put(R"(,"growths_waited_for":)").put(pool.waited);
  out.put(R"(,"locked":)").put(state.config.lock && !pool.refused_lock ? "true" : "false");
  out.put(R"(,"huge":)").put(state.config.huge ? "true" : "false").put(R"(},"threads":[)");
  bool first = true;
  const auto ended = state.threads.for_each([&](const ThreadCache& cache, Faults faults) {
    if (!first) out.put(",");
    first = false;
    const ThreadCounts counts = cache.counts();
    out.put("\n").put(R"({"name":")").put(Name(cache).text);
    out.put(R"(","tid":)").put(static_cast<std::uint64_t>(cache.thread));
    out.put(R"(,"ended":)").put(cache.ended ? "true" : "false");
    out.put(R"(,"allocations":)").put(counts.allocations);
    out.put(R"(,"bytes":)").put(counts.bytes);
    out.put(R"(,"live_bytes":)").put(counts.live);
    out.put(R"(,"peak_bytes":)").put(counts.peak);
    write_faults(out, faults);
  });
  out.put("\n").put(R"(],"earlier_threads":{"threads":)").put(ended.threads);
  out.put(R"(,"allocations":)").put(ended.counts.allocations);
  out.put(R"(,"bytes":)").put(ended.counts.bytes);
  write_faults(out, ended.faults);
  out.put("}\n");
}

void refuse(const char* path, int error) {
  std::array<char, 128> text{};
  Writer(2)
      .put("wirecost heap: cannot write ")
      .put(path)
      .put(": ")
      .put(strerror_r(error, text.data(), text.size()))
      .put(error == ENOSPC ? "; make room\n" : "; name another file\n");
}

/// Into `path` at once; the error, or 0.
int write_report(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = 0;
  {
    Writer out(file);
    write_json(out);
    out.flush();
    error = out.failure();
  }
  // Some file systems say only here that there is no room.
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

/// Takes the place of what was at `path` once it is whole, so that a full disk leaves the former
/// report.
int replace_report(const char* path) {
  char made[4096 + 32];
  append(strcat(strcpy(made, path), ".new."), static_cast<std::uint64_t>(getpid()));
  int error = write_report(made);
  if (error == 0 && rename(made, path) != 0) error = errno;
  if (error != 0) unlink(made);
  return error;
}

void write_file() {
  char path[4096];
  const std::size_t length = strlen(state.config.out);
  if (length + 32 > sizeof path) return refuse(state.config.out, ENAMETOOLONG);
  memcpy(path, state.config.out, length + 1);
  if (state.config.pid != 0 && state.config.pid != getpid()) {
    append(strcat(path, "."), static_cast<std::uint64_t>(getpid()));
  }
  // A device or a pipe has nothing to keep, and a link is the user's: what it leads to is written.
  struct stat there;
  const bool is_special = lstat(path, &there) == 0 && !S_ISREG(there.st_mode);
  const int error = is_special ? write_report(path) : replace_report(path);
  if (error != 0) refuse(path, error);
}

}  // namespace

void keep_stderr() {
  // Above the numbers that programs give away by closing and opening the lowest.
  constexpr int least_descriptor = 200;
  const int copy = fcntl(2, F_DUPFD_CLOEXEC, least_descriptor);
  if (copy >= 0) report_descriptor = copy;
}

void report_once() {
  static std::atomic<pid_t> reported{0};
  if (reported.exchange(getpid()) == getpid()) return;
  end_warmup_if_over();
  if (state.config.report) {
    Writer out(report_descriptor);
    write_text(out);
  }
  if (state.config.out != nullptr) write_file();
}

}  // namespace wirecost::heap
