// SPDX-License-Identifier: Apache-2.0
// Messages of Protobuf: fields come in any order and number, and what does not come is null or 0.
#include <cstring>

#include "wirecost/arrow/pass.hpp"
#include "wirecost/support_protobuf_read.hpp"

namespace wirecost::arrow {

namespace {

std::uint64_t number_of(const Tag& tag, std::uint64_t raw) {
  if (tag.op == Tag::Op::boolean) return raw != 0 ? 1 : 0;
  if (tag.op != Tag::Op::zigzag) return raw;
  return static_cast<std::uint64_t>(
      protobuf::unzigzag(tag.width == 4 ? static_cast<std::uint32_t>(raw) : raw));
}

void store(std::byte* to, std::uint64_t value, std::uint32_t width) {
  switch (width) {
    case 1: *to = static_cast<std::byte>(value); return;
    case 4: {
      const auto narrow = static_cast<std::uint32_t>(value);
      std::memcpy(to, &narrow, sizeof narrow);
      return;
    }
    default: std::memcpy(to, &value, sizeof value);
  }
}

std::string_view view(const Byte* from, std::size_t size) {
  return {reinterpret_cast<const char*>(from), size};
}

}  // namespace

bool Pass::tagged_message(std::size_t row) {
  const Byte* const begin = reinterpret_cast<const Byte*>(data_);
  Reading reading(begin, 0, size_, no_limits);
  row_bytes_ = plan_->row_bytes[0];
  at_ = size_;
  // No bytes may lie nowhere, which is no fault.
  if (size_ != 0 && fields(0, begin, begin + size_, reading, {0, row}, 0) == nullptr) return false;
  end_row({0, row});
  return true;
}

/// Reads a message's fields, up to its end or the tag that ends the group; returns what is behind
/// them, or nullptr.
const Byte* Pass::fields(std::uint32_t type, const Byte* p, const Byte* end, Reading& reading,
                         Row row, std::uint32_t group) {
  const TaggedMessage& message = plan_->messages[type];
  while (p != end) {
    std::uint32_t key = 0;
    p = protobuf::read_tag(p, end, reading, key);
    if (p == nullptr) return nullptr;
    const std::uint32_t number = key >> 3U, wire = key & 7U;
    if (wire == protobuf::end_group) return number == group ? p : nullptr;
    const Tag* const tag = message.find(number);
    const bool is_packed =
        tag != nullptr && tag->repeated && tag->op <= Tag::Op::fixed && wire == protobuf::len;
    const bool is_known = tag != nullptr && (wire == tag->wire || is_packed);
    if (is_known && tag->oneof != 0 && !choose(message, *tag, row)) return nullptr;
    if (is_known && tag->kept) {
      p = is_packed ? packed(*tag, p, end, reading) : field(*tag, p, end, reading, row);
    } else {
      unknown_ += !is_known;
      p = protobuf::skip(p, end, reading, key);
    }
    if (p == nullptr) return nullptr;
  }
  return group == 0 ? p : nullptr;
}

const Byte* Pass::field(const Tag& tag, const Byte* p, const Byte* end, Reading& reading, Row row) {
  set_present(tag.presence, row);
  if (tag.level != none) {
    row = {tag.level, batch_->counts[tag.level]};
    if (!begin_element(row)) return nullptr;
  }
  if (tag.op == Tag::Op::message) {
    if (tag.wire == protobuf::start_group) {
      p = fields(tag.body, p, end, reading, row, tag.number);
    } else {
      std::size_t size = 0;
      p = protobuf::read_length(p, end, reading, size);
      if (p != nullptr) p = fields(tag.body, p, p + size, reading, row, 0);
    }
  } else {
    p = value(tag, p, end, reading, row);
  }
  if (p != nullptr && tag.level != none) {
    end_row(row);
    ++batch_->counts[tag.level];
  }
  return p;
}

/// Reads a number, a text or bytes. Of several the last one is the field's.
const Byte* Pass::value(const Tag& tag, const Byte* p, const Byte* end, Reading& reading, Row row) {
  ColumnData& column = batch_->columns[tag.column];
  if (tag.op >= Tag::Op::text) {
    std::size_t size = 0;
    p = protobuf::read_length(p, end, reading, size);
    if (p == nullptr) return nullptr;
    column.values.resize(static_cast<std::size_t>(column.begins()[row.number]));
    if (tag.op == Tag::Op::text)
      append_text(column.values, view(p, size));
    else if (size != 0)
      std::memcpy(column.values.extend(size), p, size);
    return p + size;
  }
  const auto place = [&] {
    return tag.repeated ? column.values.extend(tag.width)
                        : column.values.data() + row.number * tag.width;
  };
  if (tag.op == Tag::Op::fixed) {
    if (left(p, end) < tag.width) return nullptr;
    std::memcpy(place(), p, tag.width);
    return p + tag.width;
  }
  std::uint64_t raw = 0;
  p = protobuf::read_varint(p, end, raw);
  if (p != nullptr) store(place(), number_of(tag, raw), tag.width);
  return p;
}

const Byte* Pass::packed(const Tag& tag, const Byte* p, const Byte* end, Reading& reading) {
  std::size_t size = 0;
  p = protobuf::read_length(p, end, reading, size);
  if (p == nullptr || size == 0) return p;
  ColumnData& column = batch_->columns[tag.column];
  const Byte* const stop = p + size;
  if (tag.op == Tag::Op::fixed) {
    if (size % tag.width != 0) return nullptr;
    std::memcpy(column.values.extend(size), p, size);
    return stop;
  }
  std::byte* to = column.values.extend(protobuf::count_varints(p, stop) * tag.width);
  for (std::uint64_t raw = 0; p != stop; to += tag.width) {
    p = protobuf::read_varint(p, stop, raw);
    if (p == nullptr) return nullptr;
    store(to, number_of(tag, raw), tag.width);
  }
  return p;
}

/// Removes the other members of a oneof, of which the last one stays; false where that happens too
/// often.
bool Pass::choose(const TaggedMessage& message, const Tag& tag, Row row) {
  const auto is_there = [&](const Tag& member) {
    return member.presence != none &&
           batch_->columns[member.presence].values.data()[row.number] != std::byte{0};
  };
  if (is_there(tag)) return true;
  for (const Tag& member : message.fields)
    if (member.oneof == tag.oneof && is_there(member)) {
      if (!count_bytes((message.fields.size() + member.last - member.first) * sizeof(std::int64_t)))
        return false;
      remove(member.first, member.last, row);
    }
  return true;
}

/// Counts bytes that a message takes in columns; false where they are too many for its size.
bool Pass::count_bytes(std::size_t bytes) {
  // An empty element has two bytes on the wire, and a row here.
  constexpr std::size_t least = 32U << 20U, most = 256U << 20U, for_each_byte = 32;
  row_bytes_ += bytes;
  return row_bytes_ <= std::min(most, least + for_each_byte * size_);
}

/// Makes room for an element; false where the message has too many.
bool Pass::begin_element(Row row) {
  if (!count_bytes(plan_->row_bytes[row.level])) return false;
  ensure(row.level, row.number + 1);
  return true;
}

void Pass::end_row(Row row) {
  for (const RowEnd& end : plan_->ends[row.level]) {
    ColumnData& column = batch_->columns[end.column];
    const std::size_t count =
        end.child != none ? batch_->counts[end.child] : column.values.size() >> end.shift;
    column.ends()[row.number] = static_cast<std::int64_t>(count);
  }
}

}  // namespace wirecost::arrow
