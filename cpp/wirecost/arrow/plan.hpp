// SPDX-License-Identifier: Apache-2.0
// The plan by which messages of one type become columns: what lies where, and where it goes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wirecost::arrow {

/// How a part of a type lies on the wire.
enum class Kind : std::uint8_t {
  recorded,   // not at all: the time at which a message was recorded, which the caller gives
  scalar,     // `width` bytes
  time,       // seconds and nanoseconds, 4 bytes each; bits of `count`: which of them is signed
  text,       // a length and the bytes
  sequence,   // a count and scalars of `width` bytes
  block,      // `count` scalars of `width` bytes
  structure,  // its children, one after the other
  list,       // a count and that many times its only child
  array,      // `count` times its only child
  points,     // a length and the bytes of points, as a cloud's other fields describe them
};
constexpr std::uint64_t signed_seconds = 1, signed_nanoseconds = 2;

/// How Protobuf writes a value; a group is a message between two tags.
enum class Coding : std::uint8_t { varint, zigzag, fixed, group };

/// A part of a type. The parts of a message stand in pre-order, the message itself first.
struct Node {
  std::string name;
  std::string format;  // Arrow's, and of the element where a sequence or block has several
  Kind kind = Kind::structure;
  std::uint32_t width = 0;
  std::uint64_t count = 0;
  std::uint32_t children = 0;
  bool kept = true;   // false: read over, together with its children
  bool shown = true;  // false: kept in the batch alone, to read points by
  // Points are `width` bytes apart, in big-endian order if `count` is not 0; their only child is a
  // structure of scalars and blocks, each so many bytes behind the point's beginning:
  std::uint64_t offset = 0;
  // Of a field of Protobuf, which comes by its number; of a list the coding is its child's:
  std::uint32_t number = 0;
  Coding coding = Coding::varint;
  bool nullable = false;    // where it does not come
  std::uint32_t oneof = 0;  // which one of its message it is a member of, from 1 on
  std::vector<std::pair<std::int32_t, std::string>> names;  // of an enum's numbers, ascending
};

constexpr std::uint32_t none = UINT32_MAX;

/// Values that all rows of a level have.
struct Column {
  Kind kind;
  std::uint32_t level;
  std::uint32_t width;         // bytes of a scalar or of an element
  std::uint64_t count = 1;     // scalars in a row, elements of an array
  std::uint32_t child = none;  // level of a list's or an array's elements
};

/// A value at a fixed distance from the beginning of its run.
struct Leaf {
  Kind kind;
  std::uint32_t column;
  std::uint32_t width;
  std::uint64_t count;
};

/// Values of fixed sizes, one behind the other. What they are aligned to counts from elsewhere, so
/// their distances depend on where the run begins: `by_phase` has them for each beginning modulo 8.
struct Run {
  struct Distances {
    std::vector<std::uint32_t> leaves;
    std::uint32_t size = 0;
  };
  std::vector<Leaf> leaves;
  std::array<Distances, 8> by_phase;
  std::uint32_t mask = 0;  // of the beginnings that differ
};

/// The points of sensor_msgs/PointCloud2: which of its fields describe them, and what those said
/// when the plan was made.
struct Points {
  struct Field {
    std::string name;
    std::uint32_t offset;
    std::uint8_t datatype;
    std::uint32_t count;
    std::uint32_t width;
    std::uint32_t column;
  };
  std::uint32_t height = none, width = none, is_bigendian = none, point_step = none,
                row_step = none;
  std::uint32_t fields = none, name = none, offset = none, datatype = none, count = none;
  std::uint32_t step = 0;  // bytes from point to point
  bool big = false;
  std::vector<Field> expected;
};

struct Step {
  enum class Op : std::uint8_t { run, text, sequence, elements, points } op;
  std::uint32_t column = none;
  std::uint32_t width = 0;
  std::uint64_t count = 0;     // elements of an array
  bool counted = false;        // or of a list, which counts them on the wire
  std::uint32_t level = none;  // of the elements
  std::uint64_t least = 0;     // bytes that an element takes at least
  bool flat = false;           // several steps make an element, each of those as in Plan::flat
  std::uint32_t mask = 0;      // elements that begin alike modulo mask + 1 lie alike
  Run run{};
  std::vector<Step> body;
};

/// A field of a message of Protobuf.
struct Tag {
  enum class Op : std::uint8_t { varint, zigzag, boolean, fixed, text, bytes, message } op;
  std::uint32_t number = 0, wire = 0;  // its type on the wire
  std::uint32_t width = 0;
  std::uint32_t oneof = 0;
  bool kept = false, repeated = false;
  std::uint32_t column = none, presence = none;
  std::uint32_t level = none;         // of the elements, unless they are numbers
  std::uint32_t body = none;          // the message's place in the plan
  std::uint32_t first = 0, last = 0;  // columns of all that it holds
};

struct TaggedMessage {
  std::vector<Tag> fields;             // in order of their numbers
  std::vector<std::uint32_t> nearest;  // places of fields by their number, as far as it is small

  const Tag* find(std::uint32_t number) const {
    if (number < nearest.size())
      return nearest[number] == none ? nullptr : &fields[nearest[number]];
    const auto field = std::ranges::lower_bound(fields, number, {}, &Tag::number);
    return field == fields.end() || field->number != number ? nullptr : &*field;
  }
};

/// A value of JSON, which can be null wherever it is not the message itself.
struct JsonValue {
  enum class Op : std::uint8_t {
    boolean,
    integer,
    natural,  // an integer that is not negative
    real,
    text,
    raw,  // any value, whose text as JSON is the column's
    base64,
    time,  // an object of `sec` and `nsec`
    object,
    list,
  } op = Op::object;
  std::string name;  // of an object's member
  bool kept = true;
  std::uint32_t column = none, presence = none;
  std::uint32_t level = none;          // of a list's elements
  std::uint32_t first = 0, last = 0;   // columns of all that it holds
  std::vector<JsonValue> inside;       // an object's members, or a list's only element
  std::vector<std::uint32_t> by_name;  // places of members

  /// The member of this name, or nullptr; `next`: where it is likely, then where the next one is.
  const JsonValue* find(std::string_view wanted, std::size_t& next) const {
    if (next >= inside.size() || inside[next].name != wanted) {
      const auto found = std::ranges::lower_bound(
          by_name, wanted, {}, [&](std::uint32_t i) -> std::string_view { return inside[i].name; });
      if (found == by_name.end() || inside[*found].name != wanted) return nullptr;
      next = *found;
    }
    return &inside[next++];
  }
};

/// What a row of a level has when it ends: the elements of a column up to there.
struct RowEnd {
  std::uint32_t column, child;  // none: bytes of the column's own, of which 2^shift are an element
  std::uint32_t shift;
};

/// The parts of a message of JSON.
struct JsonNodes {
  std::vector<Node> nodes;
};

/// Everything that does not change between messages.
struct Plan {
  /// `largest`: the largest alignment, 1 for none; `headed`: messages begin with the header of CDR,
  /// and their texts end with a NUL. At most one of the message's own fields is points. Throws
  /// std::invalid_argument, std::length_error.
  Plan(std::vector<Node> nodes, std::uint32_t largest, bool headed);
  /// The plan of a type of Protobuf. Throws std::invalid_argument.
  explicit Plan(std::vector<Node> nodes);
  /// The plan of messages of JSON. Throws std::invalid_argument.
  explicit Plan(JsonNodes json);

  /// Adds a column to a level, or the one of a node; returns its number.
  std::uint32_t add(std::uint32_t level, const Column& column);
  std::uint32_t column_for(std::size_t node, std::uint32_t level, const Column& column);

  /// Notes what ends the rows of each level, where fields come in any order.
  void describe_rows();

  std::vector<Node> nodes;
  std::uint32_t largest = 1;
  bool headed = false;
  std::vector<TaggedMessage> messages;     // of Protobuf, the outermost first
  std::optional<JsonValue> json;           // a message of JSON
  std::vector<std::vector<RowEnd>> ends;   // of each level of both
  std::vector<std::size_t> row_bytes;      // the same
  std::vector<std::uint32_t> presence_of;  // by node: the column of bytes, 0 where there is none
  std::vector<Step> steps;
  bool flat = false;  // each step is a run, a text, a sequence, or elements that are a run each
  Points points;      // where a step is points
  std::vector<Column> columns;
  std::vector<std::uint32_t> column_of;            // by node
  std::vector<std::vector<std::uint32_t>> levels;  // columns of each; the first level is messages
};

}  // namespace wirecost::arrow
