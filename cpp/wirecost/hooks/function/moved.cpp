// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "code.hpp"
#include "instruction.hpp"

namespace wirecost::function {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t to) : to_(to) {}

  std::uint64_t here() const { return to_ + bytes.size(); }
  void put(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
  void put(std::initializer_list<unsigned> more) {
    for (const unsigned one : more) bytes.push_back(static_cast<std::byte>(one));
  }
  /// Four bytes that lead to `target` from behind themselves and `after` bytes more.
  void offset_to(std::uint64_t target, std::size_t after = 0) {
    put_number<std::int32_t>(from_here(target, after));
  }
  /// Replaces four bytes that were written already: the instruction ends where we are.
  void patch(std::size_t at, std::uint64_t target) {
    const auto offset = narrow(static_cast<std::int64_t>(target - here()));
    std::memcpy(bytes.data() + at, &offset, sizeof(offset));
  }
  void push_address(std::uint64_t address) {
    // push the low half, sign-extended; then write the high half over the extension.
    put({0x68});
    put_number(static_cast<std::uint32_t>(address));
    put({0xc7, 0x44, 0x24, 0x04});
    put_number(static_cast<std::uint32_t>(address >> 32));
  }

  std::vector<std::byte> bytes;
  bool reaches = true;

 private:
  template <class Number>
  void put_number(Number number) {
    put(std::as_bytes(std::span(&number, 1)));
  }
  std::int32_t narrow(std::int64_t offset) {
    reaches = reaches && offset == static_cast<std::int32_t>(offset);
    return static_cast<std::int32_t>(offset);
  }
  std::int32_t from_here(std::uint64_t target, std::size_t after) {
    return narrow(static_cast<std::int64_t>(target - (here() + sizeof(std::int32_t) + after)));
  }

  std::uint64_t to_;
};

void move_branch(Writer& writer, const Instruction& instruction, std::uint64_t target) {
  if (instruction.calls()) {
    // It returns into the function itself, whose place the unwinder knows.
    writer.push_address(instruction.end());
    writer.put({0xe9});
  } else if (instruction.jumps()) {
    writer.put({0xe9});
  } else {
    writer.put({0x0f, 0x80U | (instruction.decoded.opcode & 0x0fU)});
  }
  writer.offset_to(target);
}

}  // namespace

std::vector<std::byte> moved(std::span<const std::byte> code, std::uint64_t from, std::size_t bytes,
                             std::uint64_t to) {
  Writer writer(to);
  bool over = false;
  for (std::size_t at = 0; at < bytes;) {
    const auto instruction = decode(code.subspan(at), from + at);
    if (!instruction) return {};
    const auto itself = code.subspan(at, instruction->decoded.length);
    if (const auto target = instruction->target()) {
      move_branch(writer, *instruction, *target);
    } else if (instruction->calls()) {
      return {};
    } else {
      const std::size_t start = writer.bytes.size();
      writer.put(itself);
      if (const auto nearby = instruction->nearby())
        writer.patch(start + instruction->decoded.raw.disp.offset, *nearby);
    }
    over = instruction->ends_flow();
    at += instruction->decoded.length;
  }
  if (!over) {
    writer.put({0xe9});
    writer.offset_to(from + bytes);
  }
  return writer.reaches ? writer.bytes : std::vector<std::byte>{};
}

}  // namespace wirecost::function
