// SPDX-License-Identifier: Apache-2.0
// What one thread records: its counters, its open sections, its log, and where counts grew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "counters.hpp"
#include "log_file.hpp"
#include "reports.hpp"
#include "section_limits.hpp"
#include "settings.hpp"
#include "stacks.hpp"

namespace wirecost::probe {

class ThreadProbe : private Observer {
 public:
  explicit ThreadProbe(const Settings& settings);
  ~ThreadProbe();
  ThreadProbe(const ThreadProbe&) = delete;
  ThreadProbe& operator=(const ThreadProbe&) = delete;

  bool recording() const { return log_.open(); }
  /// The log stays as it is from now on: after fork() it belongs to the parent alone.
  void abandon() { abandoned_ = true; }
  void begin(std::uint32_t id, std::uint64_t loop);
  void end(std::uint32_t id, std::int64_t value);
  /// What is over: a section or a span.
  void past(RecordKind kind, std::uint32_t id, std::int64_t begin_ns, std::int64_t end_ns,
            std::uint64_t loop, std::int64_t value, std::uint64_t message);
  /// A section that is left without an end counts as unclosed, with those in it.
  void give_up(std::uint32_t id);
  /// `thread_section.hpp` says what these do.
  void set_thread_section(std::uint32_t id);
  void pause();
  void resume();
  void mark(std::uint32_t id, std::uint16_t part, std::uint64_t loop, std::int64_t value);
  void values(std::uint32_t id, std::uint32_t variable, std::uint64_t loop,
              std::span<const double> values);
  void text(std::uint32_t id, std::uint32_t variable, std::uint16_t index, std::uint64_t loop,
            std::string_view text);
  /// Records the whole name of a section.
  void name(std::uint32_t id, std::string_view name);

 private:
  static constexpr std::size_t max_depth = 32;

  struct Open {
    std::uint32_t id;
    std::uint64_t loop;
    std::int64_t begin_ns;
    Snapshot counters;
    const SectionLimits::Most* most;  ///< of each counter; null where none is limited
    std::array<std::uint64_t, event_kinds> events;
  };

  /// While one lives, what happens is not the program's.
  class Unwatched;

  /// Does once what a section does, so that the first one takes no page fault for it.
  void warm_up();
  void watch(bool watched);
  /// An event of this thread, from within whatever caused it.
  void seen(Event event, const void* at, Detail detail);
  /// Whether it is one too many for an open section, or may be.
  bool is_exceeding(Event event) const;
  /// Ends the program where a counter of an open section went over its limit.
  void stop_if_exceeded();
  bool is_warm(std::int64_t now) const;
  /// Of a thread's execution that began in the warm-up: what it did there does not belong to it.
  void leave_out_warm_up(std::int64_t now);

  /// A record of this instant to be completed and published, or null where it is dropped.
  Record* instant(RecordKind kind, std::uint32_t id, std::uint32_t parent, std::uint64_t loop);
  /// The open section with this id, as its index + 1; 0: there is none.
  std::size_t innermost(std::uint32_t id) const;
  std::uint64_t loop_of(std::uint64_t loop);
  std::uint32_t parent_at(std::size_t depth) const {
    return depth == 0 ? no_parent : open_[depth - 1].id;
  }

  bool abandoned_ = false;
  std::int64_t processor_begin_ns_ = 0;
  LogFile log_;
  Counters counters_;
  std::array<Open, max_depth> open_;
  std::size_t depth_ = 0;
  std::uint64_t too_deep_ = 0;  ///< sections entered beyond max_depth and not left yet
  std::uint64_t outermost_ = 0;
  std::uint32_t thread_section_ = no_parent;
  bool in_thread_section_ = false;   ///< it is the outermost open one
  Reports* system_calls_ = nullptr;  ///< null: no library counts them
  std::unique_ptr<Stacks> stacks_;   ///< null: not asked for
  SectionLimits limits_;
  std::array<std::uint64_t, event_kinds> events_{};  ///< seen so far
  bool stops_;
  std::int64_t after_ns_;
  bool watches_ = false;  ///< one of both is there
  bool observed_ = false;
  volatile bool watched_ = false;
};

}  // namespace wirecost::probe
