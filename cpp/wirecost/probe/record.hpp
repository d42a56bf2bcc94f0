// SPDX-License-Identifier: Apache-2.0
// The bytes of a probe log, version 1: docs/formats/probe-log.md.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace wirecost::probe {

static_assert(std::endian::native == std::endian::little, "a probe log is little-endian");

inline constexpr std::array<char, 8> magic{'W', 'C', 'P', 'R', 'O', 'B', 'E', '\n'};
inline constexpr std::uint32_t version = 1;
inline constexpr std::size_t max_counters = 8;
inline constexpr std::size_t max_names = 256;
inline constexpr std::size_t name_bytes = 56;
inline constexpr std::uint32_t no_parent = 0xffff'ffff;
/// Sections that a process may name; of those beyond `max_names` the name is in records only.
inline constexpr std::size_t max_sections = 4096;
/// The variable of text records that hold a section's whole name, where its entry in the header has
/// no room for it.
inline constexpr std::uint32_t name_variable = 0xffff'fffe;
inline constexpr std::size_t longest_name = 1024;

enum class CounterStatus : std::uint32_t { unavailable = 0, counted = 1, user_only = 2 };
enum class CounterAccess : std::uint32_t { none = 0, user_space = 1, system_call = 2 };
/// Of one counter. Version 1 had one source for all of them: what `access` gives.
enum class CounterSource : std::uint8_t {
  none = 0,
  rdpmc = 1,
  perf_read = 2,
  thread_usage = 3,
  processor_number = 4,
  wait_times = 5,
  hook = 6,
  kernel_events = 7,
};
enum class RecordKind : std::uint8_t {
  section = 1,
  mark = 2,
  values = 3,
  text = 4,
  span = 5,
  stack = 6,
  stack_text = 7
};
enum class StackText : std::uint32_t { module = 0, python = 1, stopped = 2 };

struct CounterEntry {
  std::array<char, name_bytes> name;
  CounterStatus status;
  std::int32_t error;
};

struct NameEntry {
  std::uint32_t id;
  std::uint32_t used;
  std::array<char, name_bytes> name;
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint32_t record_size;
  std::uint32_t counter_count;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint64_t capacity;
  std::uint64_t dropped;
  std::uint64_t unclosed;
  std::uint64_t unmatched;
  std::int64_t wall_minus_monotonic_ns;
  CounterAccess access;
  std::uint32_t names;
  std::array<char, 16> program;
  std::array<char, 16> thread_name;
  std::array<CounterSource, max_counters> sources;
  /// Processor time: the thread's while it was recorded, its process's at both ends of that time;
  /// the first and the last are 0 until the thread ends in order.
  std::uint64_t thread_processor_ns, process_begin_ns, process_end_ns;
  std::array<std::byte, 368> reserved;
  std::array<CounterEntry, max_counters> counters;
  std::array<std::byte, 3072> reserved_too;
  std::array<NameEntry, max_names> section_names;
};
static_assert(sizeof(Header) == 20480 && offsetof(Header, counters) == 512 &&
              offsetof(Header, section_names) == 4096);

struct Record {
  std::uint64_t sequence;  ///< the record's index + 1, stored last: what differs was torn
  std::uint32_t id;
  std::uint32_t parent;
  std::uint16_t part;
  RecordKind kind;
  std::uint8_t depth;
  std::uint8_t counted;  ///< bit i: counter i has a value
  std::uint8_t scaled;   ///< bit i: that value is an estimate, the counter ran part of the time
  std::uint16_t detail;  ///< of a stack: what is known beside it, plus 1; else 0
  std::uint64_t loop;
  std::int64_t value;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t message;  ///< what identifies the message taken or given; 0 where none is known
  std::array<std::uint64_t, max_counters> counters;  ///< or up to 8 doubles, or a text
};
static_assert(sizeof(Record) == 128 && offsetof(Record, counters) == 64);

}  // namespace wirecost::probe
