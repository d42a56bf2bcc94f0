// SPDX-License-Identifier: Apache-2.0
// Where locks were taken that a thread waited for: the stacks of whoever takes them from then on.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wirecost/probe/reports.hpp"

namespace wirecost::hooks {

/// Of one lock, written by who holds it.
class Taking {
 public:
  static constexpr std::size_t most_frames = 24;
  /// The innermost function first; a zero ends it.
  using Addresses = std::array<std::uintptr_t, most_frames + 1>;

  std::atomic<const pthread_mutex_t*> mutex{nullptr};

  bool is_of(int thread, const void* frame, const void* caller) const {
    return thread_.load(std::memory_order_relaxed) == thread &&
           frame_.load(std::memory_order_relaxed) == frame &&
           caller_.load(std::memory_order_relaxed) == caller;
  }
  void write(int thread, const void* frame, const void* caller, const Addresses& addresses) {
    thread_.store(0);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < addresses.size(); ++i)
      addresses_[i].store(addresses[i], std::memory_order_relaxed);
    frame_.store(frame, std::memory_order_relaxed);
    caller_.store(caller, std::memory_order_relaxed);
    thread_.store(thread);
  }
  /// Whether it is worth a walk: a lock that is often taken is slowed down for a while only.
  bool may_walk() { return walks_.fetch_add(1, std::memory_order_relaxed) < most_walks; }
  /// False where another thread took the lock last, or takes it just now.
  bool read(int thread, Addresses& addresses) const {
    if (thread_.load() != thread) return false;
    for (std::size_t i = 0; i < addresses.size(); ++i)
      addresses[i] = addresses_[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return thread_.load() == thread;
  }

 private:
  static constexpr unsigned long most_walks = 10'000;
  std::atomic<unsigned long> walks_{0};
  std::atomic<int> thread_{0};
  std::atomic<const void*> frame_{nullptr}, caller_{nullptr};
  std::array<std::atomic<std::uintptr_t>, most_frames + 1> addresses_{};
};

class Takings {
 public:
  /// Null where nobody waited for the lock.
  Taking* of(const pthread_mutex_t* mutex) {
    for (std::size_t i = 0; i < count_.load(std::memory_order_acquire); ++i)
      if (takings_[i].mutex.load(std::memory_order_relaxed) == mutex) return &takings_[i];
    return nullptr;
  }
  /// From now on its takings are kept, as long as there is room.
  Taking* keep(const pthread_mutex_t* mutex) {
    if (Taking* const known = of(mutex)) return known;
    for (std::size_t i = 0; i < takings_.size(); ++i) {
      const pthread_mutex_t* none = nullptr;
      if (!takings_[i].mutex.compare_exchange_strong(none, mutex) && none != mutex) continue;
      for (std::size_t count = count_.load(); count <= i;)
        count_.compare_exchange_weak(count, i + 1);
      return &takings_[i];
    }
    return nullptr;
  }

  /// The calling thread's stack; empty where nobody can walk it.
  Taking::Addresses walk() const {
    Taking::Addresses addresses{};
    std::array<probe::Frame, Taking::most_frames> frames;
    if (take_ == nullptr) return addresses;
    const std::size_t count = take_(frames.data(), frames.size(), nullptr);
    for (std::size_t i = 0; i < count; ++i) addresses[i] = frames[i].address;
    return addresses;
  }
  /// Before the program runs.
  void look_up() {
    take_ = reinterpret_cast<probe::TakeStack>(dlsym(RTLD_DEFAULT, "wirecost_take_stack"));
  }

 private:
  static constexpr std::size_t most = 16;
  std::array<Taking, most> takings_{};
  std::atomic<std::size_t> count_{0};
  probe::TakeStack take_ = nullptr;
};

}  // namespace wirecost::hooks
