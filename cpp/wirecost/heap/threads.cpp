// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/threads.hpp"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "wirecost/heap/state.hpp"

namespace wirecost::heap {

__thread ThreadCache* own_cache = nullptr;

namespace {

__thread bool has_ended __attribute__((tls_model("initial-exec"))) = false;
Threads* watched = nullptr;

std::uint64_t field(const char*& at) {
  while (*at == ' ') ++at;
  std::uint64_t value = 0;
  for (; *at != ' ' && *at != '\0'; ++at) {
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return value;
}

}  // namespace

Faults own_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_majflt)};
}

Faults faults_of(pid_t thread) {
  char path[64] = "/proc/self/task/";
  append(path, static_cast<std::uint64_t>(thread));
  strcat(path, "/stat");
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[512];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return {};
  text[length] = '\0';
  const char* at = strrchr(text, ')');
  if (at == nullptr) return {};
  // After the name: state, six numbers, minor faults, those of children, major faults.
  at += 3;
  for (int skipped = 0; skipped < 6; ++skipped) field(at);
  const std::uint64_t minor = field(at);
  field(at);
  return {minor, field(at)};
}

Faults Threads::faults_since(const ThreadCache& cache) {
  const Faults now = cache.ended ? cache.at_end : faults_of(cache.thread);
  const Faults& start = cache.at_start;
  return {now.minor > start.minor ? now.minor - start.minor : 0,
          now.major > start.major ? now.major - start.major : 0};
}

ThreadCache* Threads::enter() {
  if (has_ended) return nullptr;
  ThreadCache* cache = nullptr;
  {
    const Guard guard(lock_);
    cache = free_;
    if (cache != nullptr) {
      free_ = cache->next_free;
      ++ended_.threads;
      const ThreadCounts counts = cache->counts();
      ended_.counts.allocations += counts.allocations;
      ended_.counts.bytes += counts.bytes;
      const Faults faults = faults_since(*cache);
      ended_.faults.minor += faults.minor;
      ended_.faults.major += faults.major;
      cache->forget_counts();
      cache->ended = false;
      cache->destructor_rounds = 0;
    }
  }
  if (cache == nullptr) {
    // The kind of a large run, so that nobody's free can reach it as a small block.
    char* page = pool_.take(1, 1, kind_large);
    if (page == nullptr) return nullptr;
    cache = new (page) ThreadCache;
    const Guard guard(lock_);
    cache->next = all_.load(std::memory_order_relaxed);
    all_.store(cache, std::memory_order_release);
  }
  cache->thread = static_cast<pid_t>(syscall(SYS_gettid));
  if (cache->thread != getpid()) several_.store(true, std::memory_order_relaxed);
  cache->at_start = own_faults();
  own_cache = cache;
  if (watching_.load(std::memory_order_acquire)) pthread_setspecific(key_, cache);
  return cache;
}

void Threads::watch_ends() {
  watched = this;
  if (pthread_key_create(&key_, on_end) != 0) return;
  watching_.store(true, std::memory_order_release);
  if (own_cache != nullptr) pthread_setspecific(key_, own_cache);
}

void Threads::on_end(void* pointer) {
  auto* cache = static_cast<ThreadCache*>(pointer);
  // Destructors of other keys may allocate yet: let them have their rounds first.
  if (++cache->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(watched->key_, cache);
    return;
  }
  watched->leave(cache);
}

void Threads::leave(ThreadCache* cache) {
  notice_new_process();
  own_cache = nullptr;
  has_ended = true;
  cache->flush(central_);
  cache->at_end = own_faults();
  prctl(PR_GET_NAME, cache->name);
  const Guard guard(lock_);
  cache->ended = true;
  cache->next_free = free_;
  free_ = cache;
}

void Threads::end_warmup() {
  const Guard guard(lock_);
  for (ThreadCache* cache = all_; cache != nullptr; cache = cache->next) {
    cache->at_start = cache->ended ? cache->at_end : faults_of(cache->thread);
  }
  ended_.faults = {};
  warm_.store(true, std::memory_order_relaxed);
}

void Threads::end_warmup(Faults of_first_thread) {
  const pid_t process = getpid();
  for (ThreadCache* cache = all_; cache != nullptr; cache = cache->next) {
    if (cache->thread == process) cache->at_start = of_first_thread;
  }
  warm_.store(true, std::memory_order_relaxed);
}

void Threads::keep_only_this_thread() {
  free_ = nullptr;
  several_.store(false, std::memory_order_relaxed);
  ended_ = {};
  for (ThreadCache* cache = all_; cache != nullptr; cache = cache->next) {
    if (cache != own_cache) cache->forget();
    cache->forget_counts();
    cache->at_start = cache->at_end = {};
    if (cache == own_cache) {
      cache->thread = static_cast<pid_t>(syscall(SYS_gettid));
      continue;
    }
    cache->ended = true;
    cache->next_free = free_;
    free_ = cache;
  }
}

}  // namespace wirecost::heap
