// SPDX-License-Identifier: Apache-2.0
// What converting between rows and columns may cost: few bytes of columns can stand for many rows.
#pragma once

#include "wirecost/columns/reader.hpp"

namespace wirecost::columns {

// Memory for what is made: so much in any case, and so much for each byte it is made of.
struct ConversionLimits {
    // Of rows, as `row_memory` has it; of columns what rows without a field take in them.
    std::size_t memory = std::size_t{64} << 20U;
    std::size_t memory_per_byte = 256;

    double of(std::size_t size) const noexcept {
        return static_cast<double>(memory) +
               static_cast<double>(memory_per_byte) * static_cast<double>(size);
    }
};

// About the bytes that the rows take, as holders or on the Protobuf wire: 16 for each row, for each
// field of a message, there or not, and for each element of a repeated field, and those of texts.
inline double row_memory(const Reader& reader) noexcept {
    constexpr double each = 16;
    double sum = each * reader.count();
    for (std::size_t i = 0; i < reader.slots().size(); ++i) {
        const Node& node = reader.schema().nodes[i];
        const Slot& slot = reader[i];
        sum += each * slot.elements * (1 + static_cast<double>(node.fixed));
        if (node.repeated) sum += each * slot.stored;
        if (node.type == Type::text) {
            const double texts = slot.form == Form::constant ? slot.elements : 1;
            sum += texts * static_cast<double>(slot.size);
        }
    }
    return sum;
}

}  // namespace wirecost::columns
