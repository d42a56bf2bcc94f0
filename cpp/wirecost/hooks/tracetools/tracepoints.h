// SPDX-License-Identifier: Apache-2.0
// The tracepoints that ROS 2's client libraries and middlewares call in libtracetools, Humble to
// Rolling: WIRECOST_TRACEPOINTS(X) is X(name, (parameters), (arguments)) of each.
// rmw_publish had the message alone until Iron; the handle is the first parameter since Jazzy. So
// what is in `message` and `timestamp` means something only where `first` is a publisher's handle.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// clang-format off
#define WIRECOST_TRACEPOINTS(X)                                                                    \
  X(rcl_init, (const void* context), (context))                                                    \
  X(rcl_node_init,                                                                                 \
    (const void* node, const void* rmw, const char* name, const char* name_space),                 \
    (node, rmw, name, name_space))                                                                 \
  X(rmw_publisher_init, (const void* rmw, const uint8_t* gid), (rmw, gid))                         \
  X(rcl_publisher_init,                                                                            \
    (const void* publisher, const void* node, const void* rmw, const char* topic, size_t depth),   \
    (publisher, node, rmw, topic, depth))                                                          \
  X(rclcpp_publish, (const void* publisher, const void* message), (publisher, message))            \
  X(rclcpp_intra_publish, (const void* publisher, const void* message), (publisher, message))      \
  X(rcl_publish, (const void* publisher, const void* message), (publisher, message))               \
  X(rmw_publish, (const void* first, const void* message, int64_t timestamp),                      \
    (first, message, timestamp))                                                                   \
  X(rmw_subscription_init, (const void* rmw, const uint8_t* gid), (rmw, gid))                      \
  X(rcl_subscription_init,                                                                         \
    (const void* subscription, const void* node, const void* rmw, const char* topic,               \
     size_t depth),                                                                                \
    (subscription, node, rmw, topic, depth))                                                       \
  X(rclcpp_subscription_init, (const void* handle, const void* subscription),                      \
    (handle, subscription))                                                                        \
  X(rclcpp_subscription_callback_added, (const void* subscription, const void* callback),          \
    (subscription, callback))                                                                      \
  X(rmw_take, (const void* rmw, const void* message, int64_t source_timestamp, bool taken),        \
    (rmw, message, source_timestamp, taken))                                                       \
  X(rcl_take, (const void* message), (message))                                                    \
  X(rclcpp_take, (const void* message), (message))                                                 \
  X(rcl_service_init,                                                                              \
    (const void* service, const void* node, const void* rmw, const char* name),                    \
    (service, node, rmw, name))                                                                    \
  X(rclcpp_service_callback_added, (const void* service, const void* callback),                    \
    (service, callback))                                                                           \
  X(rcl_client_init, (const void* client, const void* node, const void* rmw, const char* name),    \
    (client, node, rmw, name))                                                                     \
  X(rcl_timer_init, (const void* timer, int64_t period), (timer, period))                          \
  X(rclcpp_timer_callback_added, (const void* timer, const void* callback), (timer, callback))     \
  X(rclcpp_timer_link_node, (const void* timer, const void* node), (timer, node))                  \
  X(rclcpp_callback_register, (const void* callback, const char* symbol), (callback, symbol))      \
  X(callback_start, (const void* callback, bool is_intra_process), (callback, is_intra_process))   \
  X(callback_end, (const void* callback), (callback))                                              \
  X(rcl_lifecycle_state_machine_init, (const void* node, const void* machine), (node, machine))    \
  X(rcl_lifecycle_transition,                                                                      \
    (const void* machine, const char* start, const char* goal), (machine, start, goal))            \
  X(rclcpp_executor_get_next_ready, (void), ())                                                    \
  X(rclcpp_executor_wait_for_work, (int64_t timeout), (timeout))                                   \
  X(rclcpp_executor_execute, (const void* handle), (handle))                                       \
  X(rclcpp_ipb_to_subscription, (const void* ipb, const void* subscription), (ipb, subscription))  \
  X(rclcpp_buffer_to_ipb, (const void* buffer, const void* ipb), (buffer, ipb))                    \
  X(rclcpp_construct_ring_buffer, (const void* buffer, uint64_t capacity), (buffer, capacity))     \
  X(rclcpp_ring_buffer_enqueue,                                                                    \
    (const void* buffer, uint64_t index, uint64_t size, bool overwritten),                         \
    (buffer, index, size, overwritten))                                                            \
  X(rclcpp_ring_buffer_dequeue, (const void* buffer, uint64_t index, uint64_t size),               \
    (buffer, index, size))                                                                         \
  X(rclcpp_ring_buffer_clear, (const void* buffer), (buffer))                                      \
  X(message_link_periodic_async,                                                                   \
    (const void* subscriptions, size_t taken, const void* publishers, size_t given),               \
    (subscriptions, taken, publishers, given))                                                     \
  X(message_link_partial_sync,                                                                     \
    (const void* subscriptions, size_t taken, const void* publishers, size_t given),               \
    (subscriptions, taken, publishers, given))
// clang-format on
