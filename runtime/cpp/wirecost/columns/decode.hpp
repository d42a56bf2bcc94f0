// SPDX-License-Identifier: Apache-2.0
// Values from their stored form: one at a time, or a whole column.
#pragma once

#include <type_traits>

#include "wirecost/columns/slot.hpp"

namespace wirecost::columns {

template <class T>
T from_bits(std::uint64_t bits) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return bits != 0;
    } else {
        T value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
}

// A scaled value of a checked column: an integer is the sum modulo the type's width.
template <class T>
T from_scaled(double base, double scale, std::uint32_t stored) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(scaled_value(base, scale, stored));
    } else {
        return static_cast<T>(static_cast<std::int64_t>(base) + std::int64_t{stored});
    }
}

// Stored value `i` of a form that has a column. T is the field's type; the caller knows it fits.
template <class T>
T stored_at(const Slot& slot, std::size_t i) noexcept {
    const Byte* const p = slot.values + i * slot.width;
    if (slot.form == Form::scaled) {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
            return from_scaled<T>(slot.base, slot.scale, load_stored(p, slot.width));
        }
    }
    if constexpr (std::is_same_v<T, double>) {
        if (slot.form == Form::narrow) return load<float>(p);
    }
    if constexpr (std::is_enum_v<T>) {
        if (slot.width == 1) return static_cast<T>(*p);
    }
    return load<T>(p);
}

// The value of element `i`, which has the field; `otherwise` where no element has it.
template <class T>
T value_at(const Slot& slot, std::size_t i, T otherwise) noexcept {
    if (slot.form == Form::absent) return otherwise;
    if (slot.form == Form::constant) return from_bits<T>(slot.constant);
    return stored_at<T>(slot, slot.in_runs ? slot.run_of(i) : i);
}

namespace detail {

// One stored value, four bytes at once where they may be read.
template <std::uint32_t width, bool last>
std::uint32_t load_next(const Byte* p) noexcept {
    if constexpr (width == 3 && !last) {
        return load_stored<4>(p) & 0xFFFFFFU;
    } else {
        return load_stored<width>(p);
    }
}

// As from_scaled does it, but so that the loop becomes vector code.
template <class T, std::uint32_t width>
WIRECOST_COLUMNS_UNFUSED void decode_scaled(const Slot& slot, T* to, std::size_t size) noexcept {
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
    if (size == 0) return;
    const Byte* const p = slot.values;
    const double base = slot.base;
    const double scale = slot.scale;
    for (std::size_t i = 0; i + 1 < size; ++i) {
        const std::uint32_t stored = load_next<width, false>(p + width * i);
        if constexpr (std::is_floating_point_v<T>) {
            const double product = scale * static_cast<double>(stored);
            to[i] = static_cast<T>(base + product);
        } else {
            to[i] = from_scaled<T>(base, scale, stored);
        }
    }
    to[size - 1] = from_scaled<T>(base, scale, load_next<width, true>(p + width * (size - 1)));
}

template <class T>
void decode_column(const Slot& slot, T* to, std::size_t size) noexcept {
    if (slot.form == Form::scaled) {
        if constexpr (std::is_arithmetic_v<T>) {
            switch (slot.width) {
                case 1:
                    return decode_scaled<T, 1>(slot, to, size);
                case 2:
                    return decode_scaled<T, 2>(slot, to, size);
                case 3:
                    return decode_scaled<T, 3>(slot, to, size);
                default:
                    return decode_scaled<T, 4>(slot, to, size);
            }
        }
    }
    if (slot.form == Form::plain && slot.width == sizeof(T)) {
        if (size != 0) std::memcpy(to, slot.values, size * sizeof(T));
        return;
    }
    for (std::size_t i = 0; i < size; ++i) to[i] = stored_at<T>(slot, i);
}

}  // namespace detail

// A whole column into `to`, which has one place for each value. A bool is a byte that is 0 or 1
// unless the column's writer erred.
template <class T, class Stored>
void decode(const Slot& slot, std::span<Stored> to, T otherwise) noexcept {
    if (slot.form == Form::absent) {
        std::fill(to.begin(), to.end(), static_cast<Stored>(otherwise));
    } else if (slot.form == Form::constant) {
        std::fill(to.begin(), to.end(), static_cast<Stored>(from_bits<T>(slot.constant)));
    } else if (slot.in_runs) {
        for (std::size_t r = 0; r < slot.runs; ++r) {
            std::fill(to.begin() + slot.offset(r), to.begin() + slot.offset(r + 1),
                      static_cast<Stored>(stored_at<T>(slot, r)));
        }
    } else {
        detail::decode_column<Stored>(slot, to.data(), to.size());
    }
}

}  // namespace wirecost::columns
