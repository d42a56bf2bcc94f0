// SPDX-License-Identifier: Apache-2.0
// Two nodes that call tracepoints in the order in which rclcpp does, without rclcpp: a talker with
// a timer, a listener with a subscription and a service, each with an executor in a thread.
// Prints "callback BEGIN END" for what the listener's callbacks really took.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "rclcpp_like.hpp"
#include "wirecost/probe/clock.hpp"

namespace example {

/// Has an address and a name for the tracepoints; on_message is what the callback calls.
void on_message(int number);
struct Timer {
  int publishes = 1;
  void operator()() const {}
};
bool add(int, int) { return true; }

volatile std::uint64_t sink = 0;

void work_for(std::int64_t ns) {
  const std::int64_t until = wirecost::monotonic_ns() + ns;
  while (wirecost::monotonic_ns() < until) sink = sink + 1;
}

void on_message(int number) { work_for(100'000 + 50'000 * (number % 5)); }

}  // namespace example

extern "C" bool ros_trace_from_the_future(void);

namespace {

struct Object {
  std::uint64_t unused = 0;
};
struct Sent {
  int number;
  std::int64_t source_timestamp;
};

Object context, talker, listener, publisher, rmw_publisher, timer, timer_callback, subscription,
    rmw_subscription, subscription_object, any_callback, service, service_callback, message;

std::mutex mutex;
std::condition_variable arrived;
std::deque<Sent> queue;
bool over = false;

void register_callback(const void* callback, char* symbol) {
#ifdef HUMBLE
  ros_trace_rclcpp_callback_register(callback, symbol);
#else
  if (ros_trace_enabled_rclcpp_callback_register())
    ros_trace_do_rclcpp_callback_register(callback, symbol);
  std::free(symbol);
#endif
}

void create() {
  const std::uint8_t gid[24] = {1};
  ros_trace_rcl_init(&context);
  ros_trace_rcl_node_init(&talker, &talker, "talker", "/");
  ros_trace_rcl_node_init(&listener, &listener, "listener", "/robot");
  ros_trace_rmw_publisher_init(&rmw_publisher, gid);
  ros_trace_rcl_publisher_init(&publisher, &talker, &rmw_publisher, "/chatter", 10);
  ros_trace_rcl_timer_init(&timer, 2'000'000);
  ros_trace_rclcpp_timer_callback_added(&timer, &timer_callback);
  register_callback(&timer_callback,
                    tracetools::symbol_of(std::function<void()>(example::Timer{})));
  ros_trace_rclcpp_timer_link_node(&timer, &talker);
  ros_trace_rmw_subscription_init(&rmw_subscription, gid);
  ros_trace_rcl_subscription_init(&subscription, &listener, &rmw_subscription, "/chatter", 10);
  ros_trace_rclcpp_subscription_init(&subscription, &subscription_object);
  ros_trace_rclcpp_subscription_callback_added(&subscription_object, &any_callback);
  register_callback(&any_callback,
                    tracetools::symbol_of(std::function<void(int)>(example::on_message)));
  ros_trace_rcl_service_init(&service, &listener, &service, "/robot/add");
  ros_trace_rclcpp_service_callback_added(&service, &service_callback);
  register_callback(&service_callback,
                    tracetools::symbol_of(std::function<bool(int, int)>(example::add)));
}

void publish(int number) {
  const std::int64_t timestamp = wirecost::wall_ns();
  ros_trace_rclcpp_publish(nullptr, &message);
  ros_trace_rcl_publish(&publisher, &message);
#ifdef HUMBLE
  // Of this version, the function has one parameter; registers hold anything behind it.
  auto* const address = reinterpret_cast<void*>(&ros_trace_rmw_publish);
  reinterpret_cast<void (*)(const void*)>(address)(&message);
#else
  ros_trace_rmw_publish(&rmw_publisher, &message, timestamp);
#endif
  const std::lock_guard lock(mutex);
  queue.push_back({number, timestamp});
  arrived.notify_one();
}

void talk(int messages) {
  for (int i = 0; i < messages; ++i) {
    ros_trace_rclcpp_executor_get_next_ready();
    ros_trace_rclcpp_executor_wait_for_work(-1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ros_trace_rclcpp_executor_get_next_ready();
    ros_trace_rclcpp_executor_execute(&timer);
    ros_trace_callback_start(&timer_callback, false);
    example::work_for(50'000);
    publish(i);
    ros_trace_callback_end(&timer_callback);
  }
  const std::lock_guard lock(mutex);
  over = true;
  arrived.notify_one();
}

void handle(const Sent& sent) {
  ros_trace_rclcpp_executor_execute(&subscription);
  ros_trace_rmw_take(&rmw_subscription, &message, sent.source_timestamp, true);
  ros_trace_rcl_take(&message);
  ros_trace_rclcpp_take(&message);
  example::work_for(20'000);
  const std::int64_t before = wirecost::monotonic_ns();
  ros_trace_callback_start(&any_callback, false);
  const std::int64_t begin = wirecost::monotonic_ns();
  example::on_message(sent.number);
  const std::int64_t end = wirecost::monotonic_ns();
  ros_trace_callback_end(&any_callback);
  const std::int64_t after = wirecost::monotonic_ns();
  std::printf("callback %lld %lld %lld %lld\n", static_cast<long long>(before),
              static_cast<long long>(begin), static_cast<long long>(end),
              static_cast<long long>(after));
  if (sent.number % 5 == 0) {
    ros_trace_rclcpp_executor_execute(&service);
    ros_trace_callback_start(&service_callback, false);
    ros_trace_callback_end(&service_callback);
  }
}

void listen() {
  while (true) {
    ros_trace_rclcpp_executor_get_next_ready();
    ros_trace_rclcpp_executor_wait_for_work(-1);
    std::unique_lock lock(mutex);
    arrived.wait(lock, [] { return over || !queue.empty(); });
    if (queue.empty()) return;
    const Sent sent = queue.front();
    queue.pop_front();
    lock.unlock();
    ros_trace_rclcpp_executor_get_next_ready();
    handle(sent);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int messages = argc > 1 ? std::atoi(argv[1]) : 100;
  create();
  std::thread listening(listen);
  talk(messages);
  listening.join();
  std::printf("compiled in %d, future %d\n", ros_trace_compile_status(),
              ros_trace_from_the_future());
}
