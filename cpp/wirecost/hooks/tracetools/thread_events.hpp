// SPDX-License-Identifier: Apache-2.0
// What the tracepoints of one thread amount to: callbacks, waits, publishing, idle executors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "graph.hpp"

namespace wirecost::tracetools {

/// Identifiers of a callback's sections; 0: there is none.
struct CallbackSections {
  std::uint32_t callback = 0, wait = 0, queued = 0;
};

/// A Recorder has
///   CallbackSections sections_of(Handle callback);
///   std::uint32_t transport_section_of(Handle rmw);
///   std::uint32_t publish_section_of(Handle publisher, Handle rmw);  // 0: that one is not known
///   std::uint32_t idle_section();
///   std::int64_t wall_ns(std::int64_t time_ns);                  // since 1970
///   void begin(std::uint32_t id, std::int64_t time_ns);
///   void end(std::uint32_t id, std::int64_t time_ns);
///   void abandon(std::uint32_t id);                              // and what is open in it
///   void span(std::uint32_t id, std::int64_t begin, std::int64_t end, std::uint64_t message);
/// Times are nanoseconds of CLOCK_MONOTONIC.
template <class Recorder>
class ThreadEvents {
 public:
  /// A source time stamp older than this is of another machine's clock, or of none.
  static constexpr std::int64_t oldest_ns = 60'000'000'000;

  void wait_for_work(std::int64_t now) { idle_since_ = now; }

  /// In a wait set. False where the executor has reported its wait already.
  bool wait(std::int64_t now) {
    if (idle_since_ != 0) return false;
    idle_since_ = now;
    return true;
  }

  void awake(std::int64_t now, Recorder& recorder) {
    if (idle_since_ == 0) return;
    recorder.span(recorder.idle_section(), idle_since_, now, 0);
    idle_since_ = 0;
  }

  void execute(std::int64_t now, Recorder& recorder) {
    awake(now, recorder);
    taken_at_ = 0;
  }

  /// A message that rmw_take gave to whatever called it. The last one before a callback is its.
  void take(std::int64_t now, Handle rmw, std::int64_t source_timestamp, Recorder& recorder) {
    taken(now, recorder.transport_section_of(rmw), source_timestamp, recorder);
  }

  /// The same; `transport`: the section of the time since the source time stamp.
  void taken(std::int64_t now, std::uint32_t transport, std::int64_t source_timestamp,
             Recorder& recorder) {
    taken_at_ = now;
    source_timestamp_ = source_timestamp;
    if (source_timestamp <= 0 || now <= 0) return;
    const std::int64_t taken_wall = recorder.wall_ns(now);
    if (taken_wall < source_timestamp || taken_wall - source_timestamp >= oldest_ns) return;
    recorder.span(transport, now - (taken_wall - source_timestamp), now,
                  static_cast<std::uint64_t>(source_timestamp));
  }

  /// A message out of a ring buffer, which came into it at `since`; 0: nobody knows.
  void dequeue(std::int64_t since) { queued_since_ = since; }

  void callback_start(std::int64_t now, Handle callback, Recorder& recorder) {
    const CallbackSections sections = recorder.sections_of(callback);
    waited(now, sections.wait, recorder);
    if (queued_since_ != 0 && sections.queued != 0)
      recorder.span(sections.queued, queued_since_, now, 0);
    queued_since_ = 0;
    give_up(callback, recorder);
    if (depth_ == open_.size()) return;
    open_[depth_++] = {callback, sections.callback};
    recorder.begin(sections.callback, now);
  }

  /// Since the message was taken, which comes into a section `wait`; 0: into none.
  void waited(std::int64_t now, std::uint32_t wait, Recorder& recorder) {
    if (taken_at_ != 0 && wait != 0)
      recorder.span(wait, taken_at_, now,
                    source_timestamp_ > 0 ? static_cast<std::uint64_t>(source_timestamp_) : 0);
    taken_at_ = 0;
  }

  /// At a callback's end, none of its publishing goes on.
  void settle(Recorder& recorder) {
    flush(recorder);
    publish_began_ = 0;
  }

  /// Callbacks inside it that did not end, as by an exception, are given up.
  void callback_end(std::int64_t now, Handle callback, Recorder& recorder) {
    settle(recorder);
    std::size_t at = depth_;
    while (at != 0 && open_[at - 1].callback != callback) --at;
    if (at == 0) return;
    depth_ = at - 1;
    recorder.end(open_[depth_].section, now);
  }

  void rclcpp_publish(std::int64_t now) { publish_began_ = now; }

  void rcl_publish(std::int64_t now, Handle publisher, Recorder& recorder) {
    flush(recorder);
    publisher_ = publisher;
    publishing_since_ = publish_began_ != 0 ? publish_began_ : now;
    publish_began_ = 0;
  }

  /// `rmw`: the publisher's handle in the middleware, or 0.
  void rmw_publish(std::int64_t now, Handle rmw, std::uint64_t message, Recorder& recorder) {
    if (publishing_since_ == 0) return;
    recorder.span(recorder.publish_section_of(publisher_, rmw), publishing_since_, now, message);
    publishing_since_ = 0;
  }

  void intra_publish(std::int64_t now, Handle publisher, Recorder& recorder) {
    recorder.span(recorder.publish_section_of(publisher, 0),
                  publish_began_ != 0 ? publish_began_ : now, now, 0);
    publish_began_ = 0;
  }

 private:
  /// A callback that begins while it is open in this thread ended by an exception before.
  void give_up(Handle callback, Recorder& recorder) {
    for (std::size_t at = 0; at != depth_; ++at) {
      if (open_[at].callback != callback) continue;
      recorder.abandon(open_[at].section);
      depth_ = at;
      return;
    }
  }

  /// A middleware without the tracepoint rmw_publish: the publishing is known, not its end.
  void flush(Recorder& recorder) {
    if (publishing_since_ != 0) rmw_publish(publishing_since_, 0, 0, recorder);
  }

  struct Open {
    Handle callback;
    std::uint32_t section;
  };

  std::array<Open, 8> open_{};
  std::size_t depth_ = 0;
  std::int64_t idle_since_ = 0, taken_at_ = 0, source_timestamp_ = 0, queued_since_ = 0;
  std::int64_t publish_began_ = 0, publishing_since_ = 0;
  Handle publisher_ = 0;
};

}  // namespace wirecost::tracetools
