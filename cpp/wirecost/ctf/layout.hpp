// SPDX-License-Identifier: Apache-2.0
// How the fields of a CTF 1.8 trace lie in its packets: what its metadata says, as steps.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace wirecost::ctf {

enum class Op : std::uint8_t {
  integer = 0,     ///< `size` bits; sign-extended where `is_signed`
  skip = 1,        ///< `size` bits × `count` without a value
  text = 2,        ///< bytes up to a zero
  characters = 3,  ///< `count` bytes, a text up to a zero in them
  array = 4,       ///< `count` times the steps `first` to `last`
  sequence = 5,    ///< as often as the value in slot `from` says
  variant = 6,     ///< the steps of the option that the value in slot `from` chooses
  align = 7,       ///< to `align` bits
};

struct Step {
  Op op;
  bool is_signed;
  bool big_endian;
  bool clock;  ///< an integer that tells the time
  std::uint8_t size;
  std::uint32_t align;
  std::int32_t slot;  ///< where the value goes, or the list of a sequence; -1: nowhere
  std::int32_t from;
  std::uint32_t count;
  std::uint32_t first, last;  ///< steps of the body, or the variant's options
};

struct Range {
  std::uint32_t first = 0, last = 0;
};

/// Of a variant: the values that choose it, and its steps.
struct Option {
  std::int64_t low, high;
  Range steps;
};

/// Slots of values that every trace may have; those behind `first_free` are lengths and tags.
enum Slot : std::int32_t {
  slot_magic,
  slot_stream,
  slot_content_bits,
  slot_packet_bits,
  slot_discarded,
  slot_event,
  slot_process,
  slot_thread,
  slot_value,  ///< and the following: what the event's kind needs
  slot_values_end = slot_value + 4,
  slot_first_free = slot_values_end,
  slots = 64,
};
/// Lists of integers.
constexpr int list_slots = 2;
enum TextSlot : std::int32_t { text_program, text_value, text_slots = text_value + 2 };

struct Event {
  std::int32_t kind;  ///< -1: nobody needs its values
  Range context, fields;
};

struct StreamLayout {
  Range packet_context, event_header, event_context;
  std::unordered_map<std::int64_t, Event> events;
};

struct Layout {
  std::vector<Step> steps;
  std::vector<Option> options;
  Range packet_header;
  std::unordered_map<std::int64_t, StreamLayout> streams;
};

}  // namespace wirecost::ctf
