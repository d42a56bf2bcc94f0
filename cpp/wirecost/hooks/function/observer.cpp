// SPDX-License-Identifier: Apache-2.0
#include "observer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "wirecost/probe/clock.hpp"

namespace wirecost::function {
namespace {

/// A processor's ring shows a hit this much later at most.
constexpr std::int64_t slack_ns = 20'000'000;
constexpr std::size_t most_logs = 4096;

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

probe::Owner owner_of(std::uint32_t process, std::uint32_t thread) {
  const std::string folder = "/proc/" + std::to_string(process);
  return {.process = process,
          .thread = thread,
          .program = line_of(folder + "/comm"),
          .thread_name = line_of(folder + "/task/" + std::to_string(thread) + "/comm")};
}

}  // namespace

ThreadCalls* Observer::thread(const Hit& hit) {
  const auto known = threads_.find(hit.thread);
  if (known != threads_.end()) return known->second.get();
  if (failed_ || threads_.size() >= most_logs) return nullptr;
  auto made = std::make_unique<ThreadCalls>(plan_, owner_of(hit.process, hit.thread));
  if (!made->open()) {
    std::fprintf(stderr, "wirecost probe: %s\n", made->trouble().c_str());
    failed_ = true;
    return nullptr;
  }
  return threads_.emplace(hit.thread, std::move(made)).first->second.get();
}

void Observer::give(const Hit& hit) {
  if (hit.parent != 0) {
    family_.insert(hit.process);
    return;
  }
  if (!family_.contains(hit.process)) return;
  const Event* event = breakpoints_.event(hit.event);
  if (event == nullptr) return;
  // Only a call is a reason for a log.
  if (event->meaning != Meaning::entered && !threads_.contains(hit.thread)) return;
  ThreadCalls* calls = thread(hit);
  if (calls == nullptr) return;
  switch (event->meaning) {
    case Meaning::entered: return calls->entered(event->index, hit.stack, hit.time_ns);
    case Meaning::left: return calls->left(event->index, hit.stack, hit.time_ns);
    case Meaning::thrown: return calls->thrown();
    case Meaning::caught: return calls->caught(hit.stack, hit.time_ns);
    case Meaning::counted: return calls->counted(event->index);
  }
}

void Observer::take(bool all) {
  const std::int64_t until = all ? INT64_MAX : monotonic_ns() - slack_ns;
  const std::size_t before = waiting_.size();
  for (const auto& ring : breakpoints_.rings()) ring->drain(waiting_);
  const auto lost = std::remove_if(waiting_.begin() + static_cast<std::ptrdiff_t>(before),
                                   waiting_.end(), [this](const Hit& hit) {
                                     lost_ += hit.lost;
                                     return hit.lost != 0;
                                   });
  waiting_.erase(lost, waiting_.end());
  std::ranges::stable_sort(waiting_, {}, &Hit::time_ns);
  const auto end =
      std::ranges::find_if(waiting_, [=](const Hit& hit) { return hit.time_ns >= until; });
  for (auto hit = waiting_.begin(); hit != end; ++hit) give(*hit);
  waiting_.erase(waiting_.begin(), end);
}

void Observer::finish() {
  take(true);
  if (lost_ != 0)
    std::fprintf(stderr, "wirecost probe: the kernel could not report %llu hits in time\n",
                 static_cast<unsigned long long>(lost_));
  if (lost_ != 0 && !threads_.empty()) threads_.begin()->second->dropped(lost_);
  for (auto& [thread, calls] : threads_) calls->finish();
}

}  // namespace wirecost::function
