// SPDX-License-Identifier: Apache-2.0
// Chooses the form of a scalar column and stores its values in it. The order of choice is the same
// in all languages, so that all write the same bytes.
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "wirecost/columns/layout.hpp"
#include "wirecost/columns/slot.hpp"

namespace wirecost::columns {

// Calls f with a value of the scalar's type in memory: enums are std::int32_t, bool a byte.
template <class F>
decltype(auto) with_type(Type type, F&& f) {
    switch (type) {
        case Type::int8:
            return f(std::int8_t{});
        case Type::int16:
            return f(std::int16_t{});
        case Type::uint16:
            return f(std::uint16_t{});
        case Type::int32:
        case Type::enumeration:
            return f(std::int32_t{});
        case Type::uint32:
            return f(std::uint32_t{});
        case Type::int64:
            return f(std::int64_t{});
        case Type::uint64:
            return f(std::uint64_t{});
        case Type::float32:
            return f(float{});
        case Type::float64:
            return f(double{});
        default:
            return f(std::uint8_t{});
    }
}

// A column's values before they are written.
class Encoding {
  public:
    // `values`: `count` of the node's type, 0 where bit i of `present` is not set; all are present
    // if it is nullptr. They must stay until `fill`. Sets the parts of `placed` that say how the
    // column is stored.
    void choose(const Node& node, Reduction reduction, const void* values, std::size_t count,
                const Byte* present, Placed& placed) {
        type_ = node.type;
        present_ = present;
        count_ = count;
        stored_ = static_cast<const Byte*>(values);
        width_ = width_of(type_);
        runs_ = 0;
        placed.constant = placed.scaled = false;
        with_type(type_, [&](auto zero) {
            using T = decltype(zero);
            choose_form<T>(reduction, static_cast<const T*>(values), placed);
        });
        if (placed.constant) {
            placed.column = false;
            return;
        }
        std::size_t kept = count;
        if (reduction.form != Reduce::exact && !node.repeated) {
            const std::size_t runs = count_runs();
            if (4 * (runs + 1) + width_ * runs < width_ * count) {
                kept = runs_ = runs;
                placed.offsets = true;
                placed.offset_count = static_cast<std::uint32_t>(runs + 1);
            }
        }
        placed.column = true;
        placed.size = width_ * kept;
    }

    // Writes the column, and the starts of its runs, where they were placed.
    void fill(const Placed& placed, Byte* buffer) const noexcept {
        if (placed.constant || count_ == 0) return;
        Byte* to = buffer + placed.column_at;
        if (runs_ == 0) {
            std::memcpy(to, stored_, width_ * count_);
            return;
        }
        Byte* start = buffer + placed.offsets_at;
        for (std::size_t i = 0; i < count_; ++i) {
            if (i != 0 && same(i)) continue;
            start = store(start, static_cast<std::uint32_t>(i));
            to = store_bytes(to, stored_ + i * width_, width_);
        }
        store(start, static_cast<std::uint32_t>(count_));
    }

  private:
    static constexpr double largest_base = 0x1p53;

    bool is_present(std::size_t i) const noexcept {
        return present_ == nullptr || ((present_[i / 8] >> (i % 8)) & 1U) != 0;
    }
    bool same(std::size_t i) const noexcept {
        const Byte* const p = stored_ + i * width_;
        return std::memcmp(p, p - width_, width_) == 0;
    }

    template <class T>
    void choose_form(Reduction reduction, const T* values, Placed& placed) {
        if (reduction.form != Reduce::exact && constant(values, placed)) return;
        if (type_ == Type::enumeration) return narrow_enum(values);
        if (type_ == Type::boolean || reduction.form == Reduce::exact) return;
        if constexpr (std::is_floating_point_v<T>) {
            if (reduction.form == Reduce::error && within(values, reduction.error, placed)) return;
            if constexpr (std::is_same_v<T, double>) narrow(values, reduction.form);
        } else {
            shift(values, placed);
        }
    }

    template <class T>
    bool constant(const T* values, Placed& placed) const noexcept {
        std::size_t first = 0;
        while (first < count_ && !is_present(first)) ++first;
        if (first == count_) return false;
        for (std::size_t i = first + 1; i < count_; ++i) {
            if (is_present(i) && std::memcmp(values + i, values + first, sizeof(T)) != 0)
                return false;
        }
        placed.constant = true;
        if constexpr (std::is_integral_v<T>) {
            placed.bits = protobuf::extended(values[first]);
        } else {
            placed.bits = 0;
            std::memcpy(&placed.bits, values + first, sizeof(T));
        }
        return true;
    }

    // One byte a value unless a number needs four.
    template <class T>
    void narrow_enum(const T* values) {
        for (std::size_t i = 0; i < count_; ++i) {
            if (static_cast<std::uint64_t>(values[i]) > 0xFF) return;
        }
        Byte* const to = scratch(1);
        for (std::size_t i = 0; i < count_; ++i) to[i] = static_cast<Byte>(values[i]);
    }

    // double as float: if no bit is lost, or if rounding is asked for and nothing becomes infinite.
    void narrow(const double* values, Reduce form) {
        bool lossless = true;
        bool finite = true;
        for (std::size_t i = 0; i < count_; ++i) {
            if (!is_present(i)) continue;
            const double value = values[i];
            const auto rounded = static_cast<float>(value);
            lossless &= std::bit_cast<std::uint64_t>(static_cast<double>(rounded)) ==
                        std::bit_cast<std::uint64_t>(value);
            finite &= !(std::isinf(rounded) && !std::isinf(value));
        }
        if (!lossless && !(form == Reduce::float32 && finite)) return;
        Byte* to = scratch(sizeof(float));
        for (std::size_t i = 0; i < count_; ++i) {
            to = store(to, is_present(i) ? static_cast<float>(values[i]) : 0.0F);
        }
    }

    // Integers as differences from the least.
    template <class T>
    void shift(const T* values, Placed& placed) {
        T least = std::numeric_limits<T>::max();
        T most = std::numeric_limits<T>::lowest();
        for (std::size_t i = 0; i < count_; ++i) {
            if (!is_present(i)) continue;
            least = std::min(least, values[i]);
            most = std::max(most, values[i]);
        }
        if (most < least) return;
        if (protobuf::extended(least) + (1ULL << 53U) > (1ULL << 54U)) return;
        if constexpr (std::is_unsigned_v<T>) {
            if (least > (1ULL << 53U)) return;
        }
        const std::uint64_t span = protobuf::extended(most) - protobuf::extended(least);
        const std::uint32_t width = narrowest(span);
        if (width == 0) return;
        placed.scaled = true;
        placed.scale = 1.0;
        placed.base = static_cast<double>(least);
        numbers_.resize(count_);
        for (std::size_t i = 0; i < count_; ++i) {
            const auto number = static_cast<std::uint32_t>(protobuf::extended(values[i]) -
                                                           protobuf::extended(least));
            numbers_[i] = is_present(i) ? number : 0;
        }
        put(width);
    }

    // Reals as integers that are at most `error` away; false if that does not hold for all.
    template <class T>
    bool within(const T* values, double error, Placed& placed) {
        double least = std::numeric_limits<double>::infinity();
        bool finite = true;
        for (std::size_t i = 0; i < count_; ++i) {
            if (!is_present(i)) continue;
            const double value = values[i];
            finite &= std::isfinite(value);
            if (value < least) least = value;
        }
        const double scale = 2.0 * error * (1.0 - 0x1p-20);
        if (!finite || !std::isfinite(scale) || !std::isfinite(least)) return false;
        numbers_.resize(count_);
        std::uint32_t most = 0;
        const bool good = present_ == nullptr ? number<true>(values, error, least, scale, most)
                                              : number<false>(values, error, least, scale, most);
        const std::uint32_t width = good ? narrowest(most) : 0;
        if (width == 0) return false;
        placed.scaled = true;
        placed.scale = scale;
        placed.base = least;
        put(width);
        return true;
    }

    // The number of each value and the largest of them; whether all that are present are near
    // enough. Without branches, so that it runs at the speed of the division.
    template <bool all, class T>
    WIRECOST_COLUMNS_UNFUSED bool number(const T* values, double error, double least, double scale,
                                         std::uint32_t& most) noexcept {
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
        bool good = true;
        for (std::size_t i = 0; i < count_; ++i) {
            const bool present = all || is_present(i);
            const double value = values[i];
            const double nearest = (value - least) / scale + 0.5;  // not negative: cut is floor
            const bool fits = nearest < 0x1p32;
            const auto number = static_cast<std::uint32_t>(
                static_cast<std::int64_t>(fits && present ? nearest : 0));
            const double product = scale * static_cast<double>(number);
            const double read = static_cast<T>(least + product);
            good &= (!present) | (fits & (std::fabs(read - value) <= error));
            numbers_[i] = number;
            most = std::max(most, number);
        }
        return good;
    }

    // The least width of 1 to 4 bytes, below the type's own, that holds the number; 0 if none.
    std::uint32_t narrowest(std::uint64_t number) const noexcept {
        for (std::uint32_t width = 1; width <= 4 && width < width_; ++width) {
            if (number >> (8 * width) == 0) return width;
        }
        return 0;
    }

    // The numbers in that width.
    void put(std::uint32_t width) {
        Byte* const to = scratch(width);
        const std::uint32_t* const from = numbers_.data();
        const auto put_each = [&](auto bytes) {
            for (std::size_t i = 0; i < count_; ++i) std::memcpy(to + i * bytes, from + i, bytes);
        };
        switch (width) {
            case 1:
                return put_each(std::integral_constant<std::size_t, 1>{});
            case 2:
                return put_each(std::integral_constant<std::size_t, 2>{});
            case 3:
                return put_each(std::integral_constant<std::size_t, 3>{});
            default:
                return put_each(std::integral_constant<std::size_t, 4>{});
        }
    }

    // Room for all values in that width, which they then have.
    Byte* scratch(std::uint32_t width) {
        scratch_.resize(std::max<std::size_t>(width * count_, 1));
        width_ = width;
        stored_ = scratch_.data();
        return scratch_.data();
    }

    std::size_t count_runs() const noexcept {
        switch (width_) {
            case 1:
                return changes([this](std::size_t i) { return stored_[i]; });
            case 2:
                return changes(
                    [this](std::size_t i) { return load<std::uint16_t>(stored_ + 2 * i); });
            case 4:
                return changes(
                    [this](std::size_t i) { return load<std::uint32_t>(stored_ + 4 * i); });
            case 8:
                return changes(
                    [this](std::size_t i) { return load<std::uint64_t>(stored_ + 8 * i); });
            default:  // three bytes have no type of their own, but were numbers before
                return changes([this](std::size_t i) { return numbers_[i]; });
        }
    }
    // How often a value differs from the one before, the first one counted.
    template <class At>
    std::size_t changes(At&& at) const noexcept {
        std::size_t runs = count_ == 0 ? 0 : 1;
        for (std::size_t i = 1; i < count_; ++i) runs += at(i) != at(i - 1) ? 1 : 0;
        return runs;
    }

    Buffer scratch_;
    std::vector<std::uint32_t> numbers_;  // scaled values before they have their width
    const Byte* stored_ = nullptr;
    const Byte* present_ = nullptr;
    std::size_t count_ = 0;
    std::size_t runs_ = 0;
    std::size_t width_ = 0;
    Type type_ = Type::message;
};

}  // namespace wirecost::columns
