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
  if (failed_ || logs_ >= most_logs) {
    ++without_log_;
    return nullptr;
  }
  auto made = std::make_unique<ThreadCalls>(plan_, owner_of(hit.process, hit.thread));
  if (!made->open()) {
    std::fprintf(stderr, "wirecost probe: %s\n", made->trouble().c_str());
    failed_ = true;
    ++without_log_;
    return nullptr;
  }
  ++logs_;
  return threads_.emplace(hit.thread, std::move(made)).first->second.get();
}

void Observer::begins(const Hit& hit) {
  // Its end may have been lost.
  end_log_of(hit.thread);
  ++family_[hit.process];
}

/// The number of the process itself stays its own as long as it is observed.
void Observer::ends(const Hit& hit) {
  end_log_of(hit.thread);
  const auto found = family_.find(hit.process);
  if (found != family_.end() && hit.process != process_ && --found->second == 0)
    family_.erase(found);
}

void Observer::end_log_of(std::uint32_t thread) {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return;
  found->second->finish();
  ended_ = std::move(found->second);
  threads_.erase(found);
}

void Observer::give(const Hit& hit) {
  if (hit.parent != 0) return begins(hit);
  if (hit.ended) return ends(hit);
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
  const auto say = [](std::uint64_t count, const char* what) {
    if (count != 0)
      std::fprintf(stderr, "wirecost probe: %s: %llu\n", what,
                   static_cast<unsigned long long>(count));
  };
  say(lost_, "hits that the kernel could not report in time");
  say(without_log_, "calls of threads that have no log, which are not recorded");
  while (!threads_.empty()) end_log_of(threads_.begin()->first);
  // Nobody knows whose they were.
  if (ended_ != nullptr) ended_->dropped(lost_ + without_log_);
}

}  // namespace wirecost::function
