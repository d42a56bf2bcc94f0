// SPDX-License-Identifier: Apache-2.0
// What one thread records: its counters, its open sections, its log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "counters.hpp"
#include "log_file.hpp"
#include "settings.hpp"

namespace wirecost::probe {

class ThreadProbe {
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
  };

  /// Does once what a section does, so that the first one takes no page fault for it.
  void warm_up();
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
};

}  // namespace wirecost::probe
