// SPDX-License-Identifier: Apache-2.0
// A trace of ROS 2's tracepoints as executions of callbacks, waits and publishing: the same
// sections that the library in the place of libtracetools records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "execution_rows.hpp"
#include "fields.hpp"
#include "wirecost/hooks/tracetools/graph.hpp"
#include "wirecost/hooks/tracetools/queued_messages.hpp"
#include "wirecost/hooks/tracetools/thread_events.hpp"

namespace wirecost::ctf {

/// The events that matter; their values and texts in the slots are in the order of the tracepoint's
/// arguments here.
enum class Kind : std::int32_t {
  node_init,              ///< node; name, namespace
  publisher_init,         ///< publisher, node, rmw publisher; topic
  subscription_init,      ///< subscription, node, rmw subscription; topic
  subscription_object,    ///< subscription, object
  subscription_callback,  ///< object, callback
  service_init,           ///< service, node; name
  service_callback,       ///< service, callback
  timer_init,             ///< timer, period
  timer_callback,         ///< timer, callback
  timer_node,             ///< timer, node
  callback_register,      ///< callback; symbol
  wait_for_work,
  get_next_ready,
  execute,
  rmw_take,        ///< source time stamp, taken, rmw subscription
  callback_start,  ///< callback
  callback_end,    ///< callback
  rclcpp_publish,  ///< header stamp
  rcl_publish,     ///< publisher
  rmw_publish,     ///< time stamp, rmw publisher; 0 where the event has none
  intra_publish,   ///< publisher, message
  enqueue,         ///< buffer, index
  dequeue,         ///< buffer, index
  // Of CARET, for ROS 2 before rmw_take.
  take_type_erased,  ///< source time stamp
  dispatch,          ///< callback, source time stamp, header stamp
  dispatch_intra,    ///< callback, message, header stamp
  dds_write,         ///< source time stamp: the end of rmw_publish
  // A program's own statements; lists: subscriptions, publishers.
  link_periodic_async,
  link_partial_sync,
  kinds
};

struct ThreadInfo {
  std::uint32_t process, thread;
  std::string program;
};

class Ros2Trace {
 public:
  static constexpr std::size_t most_processes = 4096;
  static constexpr std::size_t most_threads = std::size_t{1} << 16;
  static constexpr std::size_t most_objects = std::size_t{1} << 19;
  /// Places in ring buffers, in all processes.
  static constexpr std::size_t most_queued = std::size_t{1} << 22;

  /// A reading of the trace's clock is `time · scale + offset` nanoseconds of CLOCK_MONOTONIC, and
  /// `epoch_ns` more since 1970.
  Ros2Trace(double ns_per_tick, std::int64_t epoch_ns) : scale_(ns_per_tick), epoch_ns_(epoch_ns) {}
  Ros2Trace(const Ros2Trace&) = delete;
  Ros2Trace& operator=(const Ros2Trace&) = delete;

  void event(std::int32_t kind, std::uint64_t time, const Values& values);

  const ExecutionRows& rows() const { return rows_; }
  const std::vector<ThreadInfo>& threads() const { return thread_infos_; }
  /// Callbacks that ended without a start, or the other way round, and events that found no room.
  std::uint64_t unmatched() const { return unmatched_; }
  std::uint64_t ignored() const { return ignored_; }

 private:
  using Handle = tracetools::Handle;
  struct Process {
    explicit Process(std::size_t& room) : queued(room) {}

    tracetools::Graph graph;
    tracetools::QueuedMessages queued;
    std::unordered_map<Handle, tracetools::CallbackSections> callbacks;
    std::unordered_map<Handle, std::uint32_t> publishers, transports;
    /// When messages of intra-process communication were published, by their addresses.
    std::unordered_map<Handle, std::int64_t> intra_published;
    std::uint32_t idle = 0;
    std::uint64_t changes = 0;
  };
  struct Open {
    std::uint32_t section;
    std::int64_t begin_ns;
    std::uint64_t loop;
  };
  struct Thread {
    Process* process = nullptr;
    std::uint32_t index = 0;
    tracetools::ThreadEvents<struct TraceRecorder> events;
    std::vector<Open> open;
    std::uint64_t outermost = 0;
    std::int64_t header_taken = 0, header_published = 0, type_erased_stamp = 0;
  };
  friend struct TraceRecorder;

  Thread* thread_of(const Values& values);
  void describe(Kind kind, Process& process, const Values& values);
  void happen(Kind kind, std::int64_t now, Thread& thread, const Values& values);
  void take(Kind kind, std::int64_t now, Thread& thread, const Values& values);

  double scale_;
  std::int64_t epoch_ns_;
  ExecutionRows rows_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::unordered_map<std::uint64_t, Thread> threads_;
  std::vector<ThreadInfo> thread_infos_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  Thread* last_ = nullptr;
  std::size_t objects_ = 0, room_ = most_queued;
  std::uint64_t unmatched_ = 0, ignored_ = 0;
};

}  // namespace wirecost::ctf
