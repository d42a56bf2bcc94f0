// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <algorithm>
#include <cstring>

#include "instruction.hpp"

namespace wirecost::function {
namespace {

constexpr std::size_t most_table_entries = 4096;
constexpr std::size_t longest_instruction = 15;

struct Walked {
  std::vector<std::uint64_t> targets;  ///< of jumps within the function
  std::vector<std::uint64_t> tables;   ///< addresses of what may be a switch's table
  std::vector<std::uint64_t> jumps_through_registers;
  std::string undecodable;
  bool leaves_on_condition = false;
};

class Examiner {
 public:
  Examiner(const Memory& memory, Range function, std::span<const Range> cold)
      : memory_(memory), function_(function), cold_(cold) {}

  Walked walked;
  Code code;

  void walk(Range range) {
    const auto bytes = memory_(range.begin, range.end - range.begin);
    if (bytes.size() != range.end - range.begin) {
      walked.undecodable = "the file does not hold its code";
      return;
    }
    for (std::uint64_t at = range.begin; at < range.end;) {
      const auto instruction = decode(bytes.subspan(at - range.begin), at);
      if (!instruction) {
        walked.undecodable = "its code holds bytes that are no instruction";
        return;
      }
      take(*instruction);
      at = instruction->end();
    }
  }

  /// Where the tables lead, as long as their entries are in the function: both the offsets of
  /// position-independent code and plain addresses.
  void read_tables() {
    for (const std::uint64_t table : walked.tables) {
      const std::size_t known = walked.targets.size();
      follow<std::int32_t>(table, table);
      if (walked.targets.size() == known) follow<std::uint64_t>(table, 0);
    }
  }

  bool inside(std::uint64_t address) const {
    return function_.holds(address) ||
           std::ranges::any_of(cold_, [&](const Range& part) { return part.holds(address); });
  }

 private:
  void take(const Instruction& instruction) {
    if (instruction.returns()) code.returns.push_back(instruction.address);
    if (const auto nearby = instruction.nearby();
        nearby && instruction.decoded.mnemonic == ZYDIS_MNEMONIC_LEA)
      walked.tables.push_back(*nearby);
    if (instruction.calls()) return;
    if (const auto target = instruction.target()) {
      if (inside(*target))
        walked.targets.push_back(*target);
      else if (instruction.jumps())
        code.tail_jumps.push_back(instruction.address);
      else
        walked.leaves_on_condition = true;
    } else if (instruction.jumps()) {
      take_indirect(instruction);
    }
  }

  void take_indirect(const Instruction& instruction) {
    const ZydisDecodedOperand& operand = instruction.operands[0];
    const bool indexed =
        operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.index != ZYDIS_REGISTER_NONE;
    if (indexed) walked.tables.push_back(static_cast<std::uint64_t>(operand.mem.disp.value));
    if (indexed || operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
      walked.jumps_through_registers.push_back(instruction.address);
    else
      code.tail_jumps.push_back(instruction.address);
  }

  template <class Entry>
  void follow(std::uint64_t table, std::uint64_t base) {
    const auto bytes = memory_(table, most_table_entries * sizeof(Entry));
    for (std::size_t at = 0; at + sizeof(Entry) <= bytes.size(); at += sizeof(Entry)) {
      Entry entry;
      std::memcpy(&entry, bytes.data() + at, sizeof(entry));
      const std::uint64_t target = base + static_cast<std::uint64_t>(entry);
      if (!inside(target)) return;
      walked.targets.push_back(target);
    }
  }

  const Memory& memory_;
  Range function_;
  std::span<const Range> cold_;
};

/// Whether all bytes of `range` are instructions that do nothing.
bool is_padding(const Memory& memory, Range range) {
  const auto bytes = memory(range.begin, range.end - range.begin + longest_instruction);
  for (std::uint64_t at = range.begin; at < range.end;) {
    const auto instruction = decode(bytes.subspan(std::min(at - range.begin, bytes.size())), at);
    if (!instruction || !instruction->is_padding()) return false;
    at = instruction->end();
  }
  return true;
}

/// Fills `first_bytes`, or says why there is no place for the jump.
std::string place_of_jump(const Memory& memory, Range function, std::uint64_t next,
                          const Walked& walked, std::size_t& first_bytes) {
  const auto bytes = memory(function.begin, function.end - function.begin);
  std::size_t length = 0;
  bool over = false;
  while (length < jump_bytes && length < bytes.size() && !over) {
    const auto instruction = decode(bytes.subspan(length), function.begin + length);
    if (!instruction) return "its code holds bytes that are no instruction";
    length += instruction->decoded.length;
    over = instruction->ends_flow();
    if (instruction->calls() && (length < jump_bytes || !instruction->target()))
      return "it calls within its first 5 bytes";
    const bool moves = !instruction->branches_on_condition() ||
                       (instruction->decoded.mnemonic != ZYDIS_MNEMONIC_JRCXZ &&
                        instruction->decoded.mnemonic != ZYDIS_MNEMONIC_JECXZ &&
                        instruction->decoded.mnemonic != ZYDIS_MNEMONIC_LOOP &&
                        instruction->decoded.mnemonic != ZYDIS_MNEMONIC_LOOPE &&
                        instruction->decoded.mnemonic != ZYDIS_MNEMONIC_LOOPNE);
    if (!moves) return "its first 5 bytes have a branch that works only where it is";
  }
  const std::uint64_t behind = function.begin + length;
  const std::uint64_t jump_end = function.begin + jump_bytes;
  if (length < jump_bytes && over && behind < function.end)
    return "its first 5 bytes have two ends";
  if (length < jump_bytes && (next < jump_end || !is_padding(memory, {behind, jump_end})))
    return "it is shorter than the 5 bytes of a jump";
  for (const std::uint64_t target : walked.targets)
    if (target > function.begin && target < std::max(behind, jump_end))
      return "it jumps back into its first 5 bytes";
  first_bytes = length;
  return {};
}

}  // namespace

Code examine(const Memory& memory, Range function, std::span<const Range> cold,
             std::uint64_t next) {
  Examiner examiner(memory, function, cold);
  examiner.walk(function);
  for (const Range& part : cold) examiner.walk(part);
  Walked& walked = examiner.walked;
  if (!walked.undecodable.empty()) {
    Code code;
    code.undecodable = walked.undecodable;
    return code;
  }
  const std::size_t direct = walked.targets.size();
  if (!walked.jumps_through_registers.empty()) examiner.read_tables();
  Code code = std::move(examiner.code);
  // Without a table it is no switch, but a call of a function by its address in place of a return.
  if (walked.targets.size() == direct)
    code.tail_jumps.insert(code.tail_jumps.end(), walked.jumps_through_registers.begin(),
                           walked.jumps_through_registers.end());
  code.no_jump = place_of_jump(memory, function, next, walked, code.first_bytes);
  if (walked.leaves_on_condition)
    code.no_exits = "it leaves by a conditional jump into another function";
  else if (code.returns.empty() && code.tail_jumps.empty())
    code.no_exits = "it never returns";
  return code;
}

}  // namespace wirecost::function
