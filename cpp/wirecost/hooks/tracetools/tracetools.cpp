// SPDX-License-Identifier: Apache-2.0
// The functions of libtracetools. Preloaded, they come before those of the library that a ROS 2
// program has, record into the probe log, and then call that library's: LTTng goes on as it was.
#include "tracepoints.h"

#include <cxxabi.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bound_method.hpp"
#include "export.hpp"
#include "recorder.hpp"
#include "wirecost/hooks/following.hpp"
#include "wirecost/hooks/own_probes.hpp"

namespace {

using namespace wirecost::tracetools;

/// Trivially destroyed, so that a tracepoint in another thread_local's destructor still finds it.
struct Thread {
  ThreadEvents<ProbeRecorder> events;
  ProbeRecorder recorder;
};
thread_local constinit Thread here;

bool recording() {
  static const bool decided = wirecost_probe_enabled() != 0 && !wirecost::hooks::leave_alone();
  return decided;
}

Handle handle(const void* pointer) { return reinterpret_cast<Handle>(pointer); }

std::string_view text(const char* given) { return given == nullptr ? "" : given; }

template <class Change>
void change(Change change) {
  SharedGraph::get().change(change);
}

std::int64_t now() { return wirecost::monotonic_ns(); }

void record_rcl_node_init(const void* node, const void*, const char* name, const char* space) {
  change([&](Graph& graph) { graph.node(handle(node), text(name), text(space)); });
}

void record_rcl_publisher_init(const void* publisher, const void* node, const void* rmw,
                               const char* topic, size_t) {
  change([&](Graph& graph) {
    graph.publisher(handle(publisher), handle(node), handle(rmw), text(topic));
  });
}

void record_rcl_subscription_init(const void* subscription, const void* node, const void* rmw,
                                  const char* topic, size_t) {
  change([&](Graph& graph) {
    graph.subscription(handle(subscription), handle(node), handle(rmw), text(topic));
  });
}

void record_rclcpp_subscription_init(const void* subscription, const void* object) {
  change([&](Graph& graph) { graph.subscription_object(handle(subscription), handle(object)); });
}

void record_rclcpp_subscription_callback_added(const void* object, const void* callback) {
  change([&](Graph& graph) { graph.subscription_callback(handle(object), handle(callback)); });
}

void record_rcl_service_init(const void* service, const void* node, const void*, const char* name) {
  change([&](Graph& graph) { graph.service(handle(service), handle(node), text(name)); });
}

void record_rclcpp_service_callback_added(const void* service, const void* callback) {
  change([&](Graph& graph) { graph.service_callback(handle(service), handle(callback)); });
}

void record_rcl_timer_init(const void* timer, int64_t period) {
  change([&](Graph& graph) { graph.timer(handle(timer), period); });
}

void record_rclcpp_timer_callback_added(const void* timer, const void* callback) {
  change([&](Graph& graph) { graph.timer_callback(handle(timer), handle(callback)); });
}

void record_rclcpp_timer_link_node(const void* timer, const void* node) {
  change([&](Graph& graph) { graph.timer_node(handle(timer), handle(node)); });
}

void record_rclcpp_callback_register(const void* callback, const char* symbol) {
  const std::string method = wirecost::tracetools::bound_method(callback, text(symbol));
  change([&](Graph& graph) {
    graph.symbol(handle(callback), method.empty() ? text(symbol) : method);
  });
}

void record_rclcpp_executor_wait_for_work(int64_t) { here.events.wait_for_work(now()); }
void record_rclcpp_executor_get_next_ready() { here.events.awake(now(), here.recorder); }
void record_rclcpp_executor_execute(const void*) { here.events.execute(now(), here.recorder); }

void record_rmw_take(const void* rmw, const void*, int64_t source_timestamp, bool taken) {
  if (taken) here.events.take(now(), handle(rmw), source_timestamp, here.recorder);
}

void record_callback_start(const void* callback, bool) {
  here.events.callback_start(now(), handle(callback), here.recorder);
}
void record_callback_end(const void* callback) {
  here.events.callback_end(now(), handle(callback), here.recorder);
}

void record_rclcpp_publish(const void*, const void*) { here.events.rclcpp_publish(now()); }
void record_rcl_publish(const void* publisher, const void*) {
  here.events.rcl_publish(now(), handle(publisher), here.recorder);
}
void record_rmw_publish(const void* first, const void*, int64_t timestamp) {
  const std::int64_t at = now();
  const bool has_timestamp = SharedGraph::get().ask(
      [&](const Graph& graph) { return graph.is_rmw_publisher(handle(first)); });
  here.events.rmw_publish(
      at, has_timestamp ? handle(first) : 0,
      has_timestamp && timestamp > 0 ? static_cast<std::uint64_t>(timestamp) : 0, here.recorder);
}
void record_rclcpp_intra_publish(const void* publisher, const void*) {
  here.events.intra_publish(now(), handle(publisher), here.recorder);
}

void record_rclcpp_ring_buffer_enqueue(const void* buffer, uint64_t index, uint64_t, bool) {
  SharedQueues::get().enqueue(handle(buffer), index, now());
}
void record_rclcpp_ring_buffer_dequeue(const void* buffer, uint64_t index, uint64_t) {
  here.events.dequeue(SharedQueues::get().dequeue(handle(buffer), index));
}

/// What a program says of its messages becomes a section of its own, once.
void record_link(std::string_view kind, const void* subscriptions, size_t taken,
                 const void* publishers, size_t given) {
  const auto handles = [](const void* array, size_t count) {
    const auto* const first = static_cast<const void* const*>(array);
    std::vector<Handle> found;
    for (size_t i = 0; i != std::min(count, Graph::most_links); ++i)
      found.push_back(handle(first[i]));
    return found;
  };
  const auto names = SharedGraph::get().ask([&](const Graph& graph) {
    return graph.link_names(kind, handles(subscriptions, taken), handles(publishers, given));
  });
  for (const std::string& name : names)
    ProbeRecorder::span(wirecost_probe_section(name.c_str()), now(), now(), 0);
}
void record_message_link_periodic_async(const void* subscriptions, size_t taken,
                                        const void* publishers, size_t given) {
  record_link("message_link_periodic_async", subscriptions, taken, publishers, given);
}
void record_message_link_partial_sync(const void* subscriptions, size_t taken,
                                      const void* publishers, size_t given) {
  record_link("message_link_partial_sync", subscriptions, taken, publishers, given);
}

// Of no use here yet: only passed on.
void record_rcl_init(const void*) {}
void record_rmw_publisher_init(const void*, const uint8_t*) {}
void record_rmw_subscription_init(const void*, const uint8_t*) {}
void record_rcl_take(const void*) {}
void record_rclcpp_take(const void*) {}
void record_rcl_client_init(const void*, const void*, const void*, const char*) {}
void record_rcl_lifecycle_state_machine_init(const void*, const void*) {}
void record_rcl_lifecycle_transition(const void*, const char*, const char*) {}
void record_rclcpp_ipb_to_subscription(const void*, const void*) {}
void record_rclcpp_buffer_to_ipb(const void*, const void*) {}
void record_rclcpp_construct_ring_buffer(const void*, uint64_t) {}
void record_rclcpp_ring_buffer_clear(const void*) {}

}  // namespace

// Nothing may be thrown into a program that expects C: what finds no memory is not recorded. A
// thread that is being cancelled goes on to its end.
#define WIRECOST_TRACEPOINT(name, parameters, arguments)                                          \
  WIRECOST_EXPORT void ros_trace_##name parameters {                                              \
    if (recording()) try {                                                                        \
        record_##name arguments;                                                                  \
      } catch (abi::__forced_unwind&) {                                                           \
        throw;                                                                                    \
      } catch (...) {                                                                             \
      }                                                                                           \
    static constinit wirecost::hooks::Following following("ros_trace_" #name);                    \
    if (void* const next = following.get()) reinterpret_cast<void(*) parameters>(next) arguments; \
  }                                                                                               \
  WIRECOST_EXPORT void ros_trace_do_##name parameters { ros_trace_##name arguments; }             \
  WIRECOST_EXPORT bool ros_trace_enabled_##name(void) {                                           \
    if (recording()) return true;                                                                 \
    static constinit wirecost::hooks::Following following("ros_trace_enabled_" #name);            \
    void* const next = following.get();                                                           \
    return next != nullptr && reinterpret_cast<bool (*)()>(next)();                               \
  }

extern "C" {

WIRECOST_TRACEPOINTS(WIRECOST_TRACEPOINT)

/// Whether tracepoints are compiled in.
WIRECOST_EXPORT bool ros_trace_compile_status(void) { return true; }

/// rcl's own, for executors without tracepoints: rclpy's, those of C.
WIRECOST_EXPORT int rcl_wait(void* set, int64_t timeout) {
  constexpr int error = 1;
  static constinit wirecost::hooks::Following following("rcl_wait");
  void* const next = following.get();
  if (next == nullptr) return error;
  const bool idle = recording() && here.events.wait(now());
  const int result = reinterpret_cast<int (*)(void*, int64_t)>(next)(set, timeout);
  if (idle) here.events.awake(now(), here.recorder);
  return result;
}

// For rclpy's callbacks, which have no tracepoints (python/wirecost/observe/probe/run/python).
// Sections are the probe library's; a `wait` of 0: none.

WIRECOST_EXPORT void wirecost_ros2_begin(uint32_t callback, uint32_t wait) {
  here.events.waited(now(), wait, here.recorder);
  ProbeRecorder::begin(callback, 0);
}

WIRECOST_EXPORT void wirecost_ros2_end(uint32_t callback) {
  here.events.settle(here.recorder);
  ProbeRecorder::end(callback, 0);
}

/// A coroutine, which leaves its thread meanwhile, is recorded when it is over.
WIRECOST_EXPORT int64_t wirecost_ros2_start(uint32_t wait) {
  const int64_t at = now();
  here.events.waited(at, wait, here.recorder);
  return at;
}

WIRECOST_EXPORT void wirecost_ros2_finish(uint32_t callback, int64_t since) {
  wirecost_probe_execution(callback, since, now(), WIRECOST_PROBE_COUNT_LOOPS, 0);
}

/// The message is converted before rcl sees it.
WIRECOST_EXPORT void wirecost_ros2_publish(void) { here.events.rclcpp_publish(now()); }
}
