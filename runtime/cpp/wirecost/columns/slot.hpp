// SPDX-License-Identifier: Apache-2.0
// What columns hold of one field: where it lies and how it is stored.
#pragma once

#include "wirecost/columns/error.hpp"

namespace wirecost::columns {

// How values are stored. Plain is the type's own array; of enums also one byte a value.
enum class Form : std::uint8_t { absent, plain, narrow, scaled, constant };

// What keeps a function's products and sums apart, where the compiler might fuse them and so give
// other bits than other readers do.
#if defined(__GNUC__) && !defined(__clang__)
#define WIRECOST_COLUMNS_UNFUSED [[gnu::optimize("fp-contract=off")]]
#else
#define WIRECOST_COLUMNS_UNFUSED
#endif

// base + scale * stored, the product rounded before the sum.
inline double scaled_value(double base, double scale, std::uint32_t stored) noexcept {
#if defined(__clang__)
#pragma clang fp contract(off)
    const double product = scale * static_cast<double>(stored);
#elif defined(__x86_64__)
    double product = scale * static_cast<double>(stored);
    asm("" : "+x"(product));
#elif defined(__aarch64__)
    double product = scale * static_cast<double>(stored);
    asm("" : "+w"(product));
#else
    const volatile double product = scale * static_cast<double>(stored);
#endif
    return base + product;
}

// A little-endian number of 1 to 4 bytes.
template <std::uint32_t width>
std::uint32_t load_stored(const Byte* p) noexcept {
    if constexpr (width == 3) {
        std::uint32_t value = 0;
        std::memcpy(&value, p, width);
        return value;
    } else {  // a type of just that size lets loops become vector code
        using T = std::conditional_t<width == 1, std::uint8_t,
                                     std::conditional_t<width == 2, std::uint16_t, std::uint32_t>>;
        return load<T>(p);
    }
}

inline std::uint32_t load_stored(const Byte* p, std::uint32_t width) noexcept {
    switch (width) {
        case 1:
            return load_stored<1>(p);
        case 2:
            return load_stored<2>(p);
        case 3:
            return load_stored<3>(p);
        default:
            return load_stored<4>(p);
    }
}

// A field as a reader found it, checked: indices below `elements` and `stored` are safe to follow.
struct Slot {
    Form form = Form::absent;
    bool in_runs = false;
    std::uint8_t width = 0;      // bytes of a stored value
    bool present = false;        // an element has it, or it was written for none
    std::int32_t around = -1;    // the nearest message around it, in its list, with presence
    std::uint32_t elements = 0;  // of the list it is a field of
    std::uint32_t stored = 0;    // values in all: `elements`, or what the last offset says
    std::uint32_t runs = 0;
    const Byte* values = nullptr;    // the column, or a constant text
    std::size_t size = 0;            // bytes of it
    const Byte* presence = nullptr;  // a bit for each element
    const Byte* offsets = nullptr;   // of texts and repeated fields, or the starts of runs
    double scale = 0.0;
    double base = 0.0;
    std::uint64_t constant = 0;  // its bits as they lie in memory, at the low end

    std::uint32_t offset(std::size_t i) const noexcept {
        return load<std::uint32_t>(offsets + 4 * i);
    }
    bool has_bit(std::size_t i) const noexcept {
        return presence == nullptr || ((presence[i / 8] >> (i % 8)) & 1U) != 0;
    }
    // The run that element `i` lies in.
    std::size_t run_of(std::size_t i) const noexcept {
        std::size_t low = 0;
        for (std::size_t high = runs; high - low > 1;) {
            const std::size_t middle = (low + high) / 2;
            (offset(middle) <= i ? low : high) = middle;
        }
        return low;
    }
};

}  // namespace wirecost::columns
