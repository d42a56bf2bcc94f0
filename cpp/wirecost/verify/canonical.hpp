// SPDX-License-Identifier: Apache-2.0
// The form in which messages of different wires are compared: every field that is not at its
// default, by name, in the order of the names. What a wire elides and what it writes out as a
// default are the same here; an empty sub-message is the same as none.
//
//   message  'M' name 0 … 'E'        real     'R' name 0, 8 bytes: a double
//   list     'L' name 0, u64 count … integer  'I' name 0, 8 bytes: two's complement
//   text     'T' name 0, u64 size, bytes; an element of a list has no name
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace wirecost {

using Bytes = std::span<const std::byte>;

class Canonical {
 public:
  /// Where a message starts; `leave` takes the message back if nothing was written in it.
  struct Mark {
    std::size_t start, content;
  };

  Mark enter(std::string_view name) {
    const std::size_t start = bytes_.size();
    tag('M', name);
    return {start, bytes_.size()};
  }
  void leave(Mark mark) {
    if (bytes_.size() == mark.content)
      bytes_.resize(mark.start);
    else
      bytes_.push_back('E');
  }
  /// An element of a list counts even if it is empty.
  void leave_element() { bytes_.push_back('E'); }

  void list(std::string_view name, std::uint64_t count) {
    tag('L', name);
    raw(&count, sizeof count);
  }

  void integer(std::string_view name, std::int64_t value) {
    if (value != 0) scalar('I', name, &value);
  }
  void real(std::string_view name, double value) {
    if (value != 0) scalar('R', name, &value);  // -0.0 is elided, as on wires
  }
  void text(std::string_view name, std::string_view value) {
    if (!value.empty()) text_element(name, value);
  }

  void integer_element(std::int64_t value) { scalar('I', {}, &value); }
  void real_element(double value) { scalar('R', {}, &value); }
  void text_element(std::string_view name, std::string_view value) {
    tag('T', name);
    const std::uint64_t size = value.size();
    raw(&size, sizeof size);
    raw(value.data(), value.size());
  }

  const std::vector<char>& bytes() const { return bytes_; }

 private:
  void tag(char kind, std::string_view name) {
    bytes_.push_back(kind);
    raw(name.data(), name.size());
    bytes_.push_back('\0');
  }
  void scalar(char kind, std::string_view name, const void* value) {
    tag(kind, name);
    raw(value, 8);
  }
  void raw(const void* data, std::size_t size) {
    const auto* first = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<char> bytes_;
};

}  // namespace wirecost
