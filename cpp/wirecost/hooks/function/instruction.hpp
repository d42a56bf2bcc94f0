// SPDX-License-Identifier: Apache-2.0
// One decoded instruction, in the terms that matter here.
#pragma once

#include <Zydis/Zydis.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace wirecost::function {

struct Instruction {
  ZydisDecodedInstruction decoded;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  std::uint64_t address = 0;

  std::uint64_t end() const { return address + decoded.length; }
  bool returns() const { return decoded.mnemonic == ZYDIS_MNEMONIC_RET; }
  bool calls() const { return decoded.mnemonic == ZYDIS_MNEMONIC_CALL; }
  bool jumps() const { return decoded.mnemonic == ZYDIS_MNEMONIC_JMP; }
  bool branches_on_condition() const { return decoded.meta.category == ZYDIS_CATEGORY_COND_BR; }
  /// Whether the next instruction is not reached from this one.
  bool ends_flow() const {
    return returns() || jumps() || decoded.mnemonic == ZYDIS_MNEMONIC_UD2 ||
           decoded.mnemonic == ZYDIS_MNEMONIC_HLT;
  }
  bool is_padding() const {
    return decoded.mnemonic == ZYDIS_MNEMONIC_NOP || decoded.mnemonic == ZYDIS_MNEMONIC_INT3;
  }
  /// Where a relative jump, branch or call leads.
  std::optional<std::uint64_t> target() const {
    if (!(jumps() || calls() || branches_on_condition()) || !decoded.raw.imm[0].is_relative)
      return std::nullopt;
    return end() + static_cast<std::uint64_t>(decoded.raw.imm[0].value.s);
  }
  /// The operand in memory that is relative to the instruction, if there is one: its address.
  std::optional<std::uint64_t> nearby() const {
    for (std::size_t i = 0; i < decoded.operand_count; ++i)
      if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
          operands[i].mem.base == ZYDIS_REGISTER_RIP)
        return end() + static_cast<std::uint64_t>(operands[i].mem.disp.value);
    return std::nullopt;
  }
};

inline std::optional<Instruction> decode(std::span<const std::byte> bytes, std::uint64_t address) {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  Instruction found;
  found.address = address;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &found.decoded,
                                           found.operands)))
    return std::nullopt;
  return found;
}

}  // namespace wirecost::function
