// SPDX-License-Identifier: Apache-2.0
#include "ros2_trace.hpp"

#include <algorithm>

#include "stream_file.hpp"

namespace wirecost::ctf {

using tracetools::CallbackNames;
using tracetools::CallbackSections;

std::uint32_t ExecutionRows::section(const std::string& name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (names_.size() >= most_sections) return static_cast<std::uint32_t>(most_sections - 1);
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back(name);
  numbers_.emplace(name, number);
  return number;
}

/// What ThreadEvents sees of one thread of the trace. Numbers of sections are one higher there,
/// because 0 is none.
struct TraceRecorder {
  Ros2Trace& trace;
  Ros2Trace::Thread& thread;

  std::uint32_t section(const std::string& name) {
    return name.empty() ? 0 : trace.rows_.section(name) + 1;
  }
  void forget_old_names() {
    Ros2Trace::Process& process = *thread.process;
    constexpr std::size_t most = std::size_t{1} << 16;
    if (process.changes == process.graph.changes() && process.callbacks.size() < most &&
        process.publishers.size() < most && process.transports.size() < most)
      return;
    process.changes = process.graph.changes();
    process.idle = 0;
    process.callbacks.clear();
    process.publishers.clear();
    process.transports.clear();
  }
  CallbackSections sections_of(tracetools::Handle callback) {
    forget_old_names();
    const auto [found, added] = thread.process->callbacks.try_emplace(callback);
    if (added) {
      const CallbackNames names = thread.process->graph.names_of(callback);
      found->second = {section(names.callback), section(names.wait), section(names.queued)};
    }
    return found->second;
  }
  std::uint32_t transport_section_of(tracetools::Handle rmw) {
    forget_old_names();
    const auto [found, added] = thread.process->transports.try_emplace(rmw);
    if (added) found->second = section(thread.process->graph.transport_name_of(rmw));
    return found->second;
  }
  std::uint32_t publish_section_of(tracetools::Handle publisher, tracetools::Handle rmw) {
    forget_old_names();
    const auto [found, added] = thread.process->publishers.try_emplace(rmw != 0 ? rmw : publisher);
    if (added) found->second = section(thread.process->graph.publish_name_of(publisher, rmw));
    return found->second;
  }
  std::uint32_t idle_section() {
    forget_old_names();
    std::uint32_t& idle = thread.process->idle;
    if (idle == 0) idle = section(thread.process->graph.idle_name());
    return idle;
  }
  std::int64_t wall_ns(std::int64_t time_ns) const {
    // A hostile trace may say any time.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) +
                                     static_cast<std::uint64_t>(trace.epoch_ns_));
  }

  /// A moment whose identity is the stamp in a message's header.
  void header(const std::string& name, std::int64_t now, std::int64_t& stamp) {
    if (stamp > 0)
      span(section(name + " header stamp"), now, now, static_cast<std::uint64_t>(stamp));
    stamp = 0;
  }
  void links(std::string_view kind, std::int64_t now, const Values& values) {
    for (const std::string& name :
         thread.process->graph.link_names(kind, values.lists[0], values.lists[1]))
      span(section(name), now, now, 0);
  }

  void begin(std::uint32_t id, std::int64_t now) {
    const std::uint64_t loop = thread.open.empty() ? thread.outermost++ : thread.open.back().loop;
    thread.open.push_back({id - 1, now, loop});
  }
  void abandon(std::uint32_t id) {
    bool found = false;
    while (!found && !thread.open.empty()) {
      found = thread.open.back().section == id - 1;
      thread.open.pop_back();
      ++trace.unmatched_;
    }
  }
  void end(std::uint32_t id, std::int64_t now) {
    while (!thread.open.empty() && thread.open.back().section != id - 1) {
      thread.open.pop_back();
      ++trace.unmatched_;
    }
    if (thread.open.empty()) return;
    const Ros2Trace::Open open = thread.open.back();
    thread.open.pop_back();
    add(open.section, 1, {open.begin_ns, now, open.loop, 0});
  }
  void span(std::uint32_t id, std::int64_t begin, std::int64_t end, std::uint64_t message) {
    const std::uint64_t loop = thread.open.empty() ? thread.outermost : thread.open.back().loop;
    add(id - 1, 5, {begin, end, loop, message});
  }
  void add(std::uint32_t section, std::uint8_t kind, const Row& row) {
    const std::uint32_t parent = thread.open.empty() ? 0 : thread.open.back().section + 1;
    trace.rows_.add(
        {section, parent, thread.index, kind, static_cast<std::uint8_t>(thread.open.size())}, row);
  }
};

Ros2Trace::Thread* Ros2Trace::thread_of(const Values& values) {
  const auto process = static_cast<std::uint32_t>(values.numbers[slot_process]);
  const auto thread = static_cast<std::uint32_t>(values.numbers[slot_thread]);
  const std::uint64_t key = std::uint64_t{process} << 32 | thread;
  if (key == last_key_) return last_;
  auto found = threads_.find(key);
  if (found == threads_.end()) {
    if (threads_.size() >= most_threads) return nullptr;
    if (processes_.size() >= most_processes && !processes_.contains(process)) return nullptr;
    found = threads_.try_emplace(key).first;
    found->second.process = &processes_.try_emplace(process, room_).first->second;
    found->second.index = static_cast<std::uint32_t>(thread_infos_.size());
    thread_infos_.push_back({process, thread, std::string(values.texts[text_program])});
  }
  last_key_ = key;
  last_ = &found->second;
  return last_;
}

void Ros2Trace::event(std::int32_t kind, std::uint64_t time, const Values& values) {
  if (kind < 0 || kind >= static_cast<std::int32_t>(Kind::kinds)) return;
  Thread* thread = thread_of(values);
  if (thread == nullptr) {
    ++ignored_;
    return;
  }
  if (rows_.full())
    throw TraceError(
        "more than 33 million executions and waits, or too many kinds of them; give a part of the "
        "trace");
  const auto what = static_cast<Kind>(kind);
  if (what <= Kind::callback_register) {
    if (objects_ >= most_objects) {
      ++ignored_;
      return;
    }
    ++objects_;
    describe(what, *thread->process, values);
    return;
  }
  constexpr double latest = 9.2e18;
  const auto now =
      scale_ == 1.0
          ? static_cast<std::int64_t>(time)
          : static_cast<std::int64_t>(std::min(latest, static_cast<double>(time) * scale_));
  happen(what, now, *thread, values);
}

void Ros2Trace::describe(Kind kind, Process& process, const Values& values) {
  const auto handle = [&](std::size_t i) {
    return static_cast<Handle>(values.numbers[std::size_t{slot_value} + i]);
  };
  const std::string_view text = values.texts[text_value];
  tracetools::Graph& graph = process.graph;
  switch (kind) {
    case Kind::node_init: graph.node(handle(0), text, values.texts[text_value + 1]); break;
    case Kind::publisher_init: graph.publisher(handle(0), handle(1), handle(2), text); break;
    case Kind::subscription_init: graph.subscription(handle(0), handle(1), handle(2), text); break;
    case Kind::subscription_object: graph.subscription_object(handle(0), handle(1)); break;
    case Kind::subscription_callback: graph.subscription_callback(handle(0), handle(1)); break;
    case Kind::service_init: graph.service(handle(0), handle(1), text); break;
    case Kind::service_callback: graph.service_callback(handle(0), handle(1)); break;
    case Kind::timer_init: graph.timer(handle(0), static_cast<std::int64_t>(handle(1))); break;
    case Kind::timer_callback: graph.timer_callback(handle(0), handle(1)); break;
    case Kind::timer_node: graph.timer_node(handle(0), handle(1)); break;
    default: graph.symbol(handle(0), text);
  }
}

void Ros2Trace::happen(Kind kind, std::int64_t now, Thread& thread, const Values& values) {
  const std::int64_t first = values.numbers[slot_value];
  const auto handle = static_cast<Handle>(first);
  const auto index = static_cast<std::uint64_t>(values.numbers[slot_value + 1]);
  TraceRecorder recorder{*this, thread};
  auto& events = thread.events;
  switch (kind) {
    case Kind::wait_for_work: events.wait_for_work(now); break;
    case Kind::get_next_ready: events.awake(now, recorder); break;
    case Kind::execute: events.execute(now, recorder); break;
    case Kind::rmw_take:
      if (values.numbers[slot_value + 1] != 0)
        events.take(now, static_cast<Handle>(values.numbers[slot_value + 2]), first, recorder);
      break;
    case Kind::take_type_erased:
    case Kind::dispatch:
    case Kind::dispatch_intra: take(kind, now, thread, values); break;
    case Kind::link_periodic_async:
      recorder.links("message_link_periodic_async", now, values);
      break;
    case Kind::link_partial_sync: recorder.links("message_link_partial_sync", now, values); break;
    case Kind::callback_start:
      if (thread.header_taken != 0)
        recorder.header(thread.process->graph.names_of(handle).place, now, thread.header_taken);
      events.callback_start(now, handle, recorder);
      break;
    case Kind::callback_end: events.callback_end(now, handle, recorder); break;
    case Kind::rclcpp_publish:
      thread.header_published = first;
      events.rclcpp_publish(now);
      break;
    case Kind::rcl_publish:
      if (thread.header_published != 0)
        recorder.header(thread.process->graph.publish_name_of(handle, 0), now,
                        thread.header_published);
      events.rcl_publish(now, handle, recorder);
      break;
    case Kind::dds_write:
      events.rmw_publish(now, 0, static_cast<std::uint64_t>(first), recorder);
      break;
    case Kind::rmw_publish:
      events.rmw_publish(now, index, first > 0 ? static_cast<std::uint64_t>(first) : 0, recorder);
      break;
    case Kind::enqueue:
      if (!thread.process->queued.enqueue(handle, index, now)) ++ignored_;
      break;
    case Kind::dequeue: events.dequeue(thread.process->queued.dequeue(handle, index)); break;
    default:
      if (auto& published = thread.process->intra_published; index != 0) {
        if (published.size() >= tracetools::Graph::most) published.clear();
        published.insert_or_assign(index, now);
      }
      events.intra_publish(now, handle, recorder);
  }
}

void Ros2Trace::take(Kind kind, std::int64_t now, Thread& thread, const Values& values) {
  const auto value = [&](std::size_t i) { return values.numbers[std::size_t{slot_value} + i]; };
  if (kind == Kind::take_type_erased) {
    thread.type_erased_stamp = value(0);
    return;
  }
  thread.header_taken = value(2);
  if (kind == Kind::dispatch) {
    // Earlier versions have the time stamp with take_type_erased alone.
    const std::int64_t stamp = value(1) != 0 ? value(1) : thread.type_erased_stamp;
    const std::string place = thread.process->graph.names_of(static_cast<Handle>(value(0))).place;
    thread.type_erased_stamp = 0;
    TraceRecorder recorder{*this, thread};
    thread.events.taken(now, recorder.section(place + " publish→take"), stamp, recorder);
    return;
  }
  const auto published = thread.process->intra_published.find(static_cast<Handle>(value(1)));
  const bool is_known = published != thread.process->intra_published.end();
  thread.events.dequeue(is_known ? published->second : now);
}

}  // namespace wirecost::ctf
