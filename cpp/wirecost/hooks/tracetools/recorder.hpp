// SPDX-License-Identifier: Apache-2.0
// The running process's tracepoints into the calling thread's probe log.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "graph.hpp"
#include "queued_messages.hpp"
#include "thread_events.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/clock.hpp"

namespace wirecost::tracetools {

/// The process's graph, and a number that is another after each change of it.
class SharedGraph {
 public:
  static SharedGraph& get();

  template <class Change>
  void change(Change change) {
    const std::lock_guard lock(mutex_);
    change(graph_);
    changes_.store(graph_.changes(), std::memory_order_release);
  }
  template <class Question>
  auto ask(Question question) {
    const std::lock_guard lock(mutex_);
    return question(static_cast<const Graph&>(graph_));
  }
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  SharedGraph();

  std::mutex mutex_;
  Graph graph_;
  std::atomic<std::uint64_t> changes_{1};
};

/// The process's messages in ring buffers.
class SharedQueues {
 public:
  static SharedQueues& get();

  void enqueue(Handle buffer, std::uint64_t index, std::int64_t now) {
    const std::lock_guard lock(mutex_);
    queued_.enqueue(buffer, index, now);
  }
  std::int64_t dequeue(Handle buffer, std::uint64_t index) {
    const std::lock_guard lock(mutex_);
    return queued_.dequeue(buffer, index);
  }

 private:
  SharedQueues();

  std::mutex mutex_;
  std::size_t room_ = std::size_t{1} << 20;
  QueuedMessages queued_{room_};
};

/// Sections that one thread looked up, until the graph changes.
template <class Sections>
class Cache {
 public:
  template <class Find>
  Sections get(Handle handle, Find find) {
    const std::uint64_t now = SharedGraph::get().changes();
    if (now != changes_) {
      entries_.fill({});
      changes_ = now;
    }
    Entry& entry = entries_[(handle >> 4) % entries_.size()];
    if (entry.handle != handle || handle == 0) entry = {handle, find()};
    return entry.sections;
  }

 private:
  struct Entry {
    Handle handle = 0;
    Sections sections{};
  };
  std::array<Entry, 64> entries_{};
  std::uint64_t changes_ = 0;
};

class ProbeRecorder {
 public:
  CallbackSections sections_of(Handle callback) {
    return callbacks_.get(callback, [&] { return find_callback(callback); });
  }
  std::uint32_t transport_section_of(Handle rmw) {
    return transports_.get(rmw, [&] { return find_transport(rmw); });
  }
  std::uint32_t publish_section_of(Handle publisher, Handle rmw) {
    return publishers_.get(rmw != 0 ? rmw : publisher,
                           [&] { return find_publisher(publisher, rmw); });
  }
  std::uint32_t idle_section() {
    constexpr Handle any = 1;
    return idle_.get(any, find_idle);
  }
  static std::int64_t wall_ns(std::int64_t time_ns) {
    return time_ns + wirecost::wall_ns() - wirecost::monotonic_ns();
  }
  static void begin(std::uint32_t id, std::int64_t) {
    wirecost_probe_begin(id, WIRECOST_PROBE_COUNT_LOOPS);
  }
  static void end(std::uint32_t id, std::int64_t) { wirecost_probe_end(id, 0); }
  static void abandon(std::uint32_t id) { wirecost_probe_abandon(id); }
  static void span(std::uint32_t id, std::int64_t begin, std::int64_t end, std::uint64_t message) {
    wirecost_probe_span(id, begin, end, WIRECOST_PROBE_COUNT_LOOPS, 0, message);
  }

 private:
  static CallbackSections find_callback(Handle callback);
  static std::uint32_t find_transport(Handle rmw);
  static std::uint32_t find_publisher(Handle publisher, Handle rmw);
  static std::uint32_t find_idle();

  Cache<CallbackSections> callbacks_;
  Cache<std::uint32_t> transports_, publishers_, idle_;
};

}  // namespace wirecost::tracetools
