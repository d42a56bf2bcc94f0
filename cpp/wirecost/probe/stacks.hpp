// SPDX-License-Identifier: Apache-2.0
// Where in the program a thread's counts grew: distinct stacks, each with how often it was seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "log_file.hpp"
#include "python_lines.hpp"
#include "record.hpp"
#include "reports.hpp"

namespace wirecost::probe {

/// What is open where an event is seen.
struct Place {
  std::uint32_t section, parent;
  std::uint8_t depth;
  std::uint64_t loop;
};

class Stacks {
 public:
  /// For those of a log's counters whose events a loaded library reports; takes all memory that is
  /// ever needed.
  explicit Stacks(const std::vector<CounterEntry>& counters);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  /// Whoever gets the thread's events from now on; null: nobody.
  void observe(Observer* observer);
  /// Whether events that cost something are seen, wherever they happen.
  void arm(bool armed);
  bool armed() const { return is_armed_; }
  /// Counters that grow by an event, as bits.
  std::uint8_t counters_of(Event event) const {
    return counters_of_[static_cast<std::size_t>(event)];
  }
  /// Those of them that grow by one.
  std::uint8_t counted() const { return counted_; }
  /// Counts an event. Allocates nothing, takes no lock, and writes no log.
  void add(Event event, const void* at, Detail detail, const Place& place, std::int64_t now);
  /// Writes what is new; not in a handler of events.
  void write(LogFile& log);
  /// Writes all, and that a counter went over its limit at the stack that was added last.
  void write_stopped(LogFile& log, std::string_view line);

 private:
  static constexpr std::size_t most_stacks = 64;
  static constexpr std::size_t most_frames = 48;
  static constexpr std::size_t most_modules = 128;
  /// Stacks that are walked; afterwards only those that are known are counted.
  static constexpr std::size_t most_walks = 20'000;

  struct Stack {
    Place place;
    std::uint8_t counters;  ///< bit i: counter i grew
    std::uint16_t detail;   ///< as in the record
    std::size_t holder_count;
    std::array<std::uintptr_t, most_frames> holder;  ///< where the lock was taken
    std::size_t frame_count;
    std::array<Frame, most_frames> frames;
    const void* top;  ///< the address of the observing function's frame
    bool checkable;   ///< whether the frames' slots show that it is the same again
    PythonLines::Text python;
    std::int64_t first_ns, last_ns;
    std::uint64_t count;
    Record* record;

    std::span<const std::uintptr_t> holders() const { return {holder.data(), holder_count}; }
  };
  struct Module {
    std::uintptr_t base, begin, end;
  };

  Stack* known(const Stack& seen, const void* top, const void* at);
  Stack* alike(const Stack& seen);
  /// Whether both are of the same events, wherever they happened.
  static bool same_kind(const Stack& one, const Stack& other);
  void walk(Stack& seen, const void* top, const void* at);
  void write(LogFile& log, Stack& stack, std::uint64_t number);
  std::uint64_t in_module(LogFile& log, std::uintptr_t address);
  static bool write_text(LogFile& log, StackText kind, std::uint32_t number, std::string_view text);

  std::array<std::uint8_t, event_kinds> counters_of_{};
  std::uint8_t counted_ = 0;
  std::vector<Reports*> reports_, to_arm_;
  bool is_armed_ = false;
  TakeStack take_ = nullptr;
  PythonLines python_lines_;
  std::unique_ptr<std::array<Stack, most_stacks>> stacks_;
  Stack scratch_{};
  Stack* last_ = nullptr;
  std::size_t count_ = 0, written_ = 0, walks_ = 0;
  std::array<Module, most_modules> modules_{};
  std::size_t module_count_ = 0;
};

}  // namespace wirecost::probe
