// SPDX-License-Identifier: Apache-2.0
// Numbers by classes: how many bits a number has, as a Huffman code, then these bits without the
// first. Four runs of them are decoded side by side, as each step waits for the one before.
#pragma once

#include "wirecost/cloud/packed/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace wirecost::cloud::packed {

constexpr std::size_t class_count = 33;
/// How many numbers have each count of bits.
using ClassCounts = std::array<std::uint32_t, class_count>;

ClassCounts counted(std::span<const std::uint32_t> values);

/// Bits that numbers would take, about: their classes' entropy and the bits behind.
double estimated_bits(const ClassCounts& counts);

void encode_classes(std::span<const std::uint32_t> values, const ClassCounts& counts,
                    ByteWriter& out);

/// Fill `values`. Throws std::invalid_argument unless the bytes are those of so many numbers.
void decode_classes(ByteReader in, std::span<std::uint32_t> values);

}  // namespace wirecost::cloud::packed
