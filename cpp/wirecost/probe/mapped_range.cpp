// SPDX-License-Identifier: Apache-2.0
#include "mapped_range.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "settings.hpp"

namespace wirecost::probe {
namespace {

using Entry = MappedRange::Entry;

static_assert(std::atomic<const Entry*>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

// Trivial: a handler may run before and after everything else.
std::atomic<const Entry*> first{nullptr};
std::uintptr_t page_size = 0;
struct sigaction earlier{};

/// Puts an empty page where one of ours is gone. Only what signal-safety(7) and the kernel's own
/// interface allow: no lock, no allocation.
bool replaced(std::uintptr_t address) {
  for (const Entry* entry = first.load(std::memory_order_acquire); entry; entry = entry->next) {
    if (!entry->live.load(std::memory_order_acquire)) continue;
    // Wraps around for what lies below.
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(entry->begin);
    if (offset >= entry->bytes) continue;
    entry->lost.store(true, std::memory_order_relaxed);
    write_once(topic_cut, entry->line);
    return mmap(entry->begin + offset / page_size * page_size, page_size, PROT_READ | PROT_WRITE,
                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  }
  return false;
}

/// Lets the handler that was here before run as the kernel would have let it.
void call_earlier(int signal, siginfo_t* info, void* context) {
  if ((earlier.sa_flags & SA_RESETHAND) != 0) {
    struct sigaction once{};
    once.sa_handler = SIG_DFL;
    sigaction(signal, &once, nullptr);
  }
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &earlier.sa_mask, &before);
  if ((earlier.sa_flags & SA_NODEFER) != 0) {
    sigset_t itself;
    sigemptyset(&itself);
    sigaddset(&itself, signal);
    pthread_sigmask(SIG_UNBLOCK, &itself, nullptr);
  }
  if ((earlier.sa_flags & SA_SIGINFO) != 0)
    earlier.sa_sigaction(signal, info, context);
  else
    earlier.sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const bool plain = (earlier.sa_flags & SA_SIGINFO) == 0;
  const bool ignored = plain && earlier.sa_handler == SIG_IGN;
  const bool ends = plain && earlier.sa_handler == SIG_DFL;
  if (!ignored && !ends) return call_earlier(signal, info, context);
  // A fault comes again as soon as this returns; then the kernel acts.
  const bool comes_again = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
  if (comes_again || ends) sigaction(signal, &earlier, nullptr);
  if (!comes_again && ends) raise(signal);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int number = errno;
  const bool ours =
      info->si_code == BUS_ADRERR && replaced(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = number;
  if (!ours) pass_on(signal, info, context);
}

/// Whether SIGBUS comes to us first.
bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_bus_error;
}

constinit std::mutex mutex;
std::size_t ranges = 0;
bool installed = false;

bool wanted() {
  const char* setting = std::getenv("WIRECOST_PROBE_SIGBUS");
  return setting == nullptr || std::string_view(setting) != "off";
}

void install() {
  page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  // Known before ours can run.
  if (sigaction(SIGBUS, nullptr, &earlier) != 0) return;
  struct sigaction ours{};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (earlier.sa_flags & SA_RESTART);
  sigemptyset(&ours.sa_mask);
  installed = sigaction(SIGBUS, &ours, nullptr) == 0;
}

/// Leaves things as they were found, since what holds this code may be unloaded, as FMUs are. False
/// where who came after us may call us still.
bool uninstall() {
  struct sigaction now{};
  if (sigaction(SIGBUS, nullptr, &now) != 0 || !is_ours(now)) return false;
  installed = sigaction(SIGBUS, &earlier, nullptr) != 0;
  return true;
}

/// Not under the lock: the loader has one of its own, and calls what may want this one.
void stay_loaded() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&on_bus_error), &here) != 0 && here.dli_fname != nullptr)
    dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

MappedRange::MappedRange(void* begin, std::size_t bytes, const std::string& line) {
  entry_ = new Entry{.begin = static_cast<std::byte*>(begin),
                     .bytes = bytes,
                     .line = whole_line(line),
                     .next = nullptr};
  const std::lock_guard lock(mutex);
  entry_->next = first.load(std::memory_order_relaxed);
  first.store(entry_, std::memory_order_release);
  ++ranges;
  if (!installed && wanted()) install();
}

MappedRange::~MappedRange() {
  entry_->live.store(false, std::memory_order_release);
  bool stays = false;
  {
    const std::lock_guard lock(mutex);
    stays = --ranges == 0 && installed && !uninstall();
  }
  if (stays) stay_loaded();
}

void MappedRange::lock_for_fork() { mutex.lock(); }
void MappedRange::unlock_after_fork() { mutex.unlock(); }

}  // namespace wirecost::probe
