// SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wirecost::ctf {
namespace {

constexpr std::size_t longest_list = 64;

template <class Number>
std::uint64_t whole(const std::uint8_t* at, bool big_endian) {
  Number number;
  std::memcpy(&number, at, sizeof(number));
  if (!big_endian) return number;
  if constexpr (sizeof(Number) == 2) return __builtin_bswap16(number);
  if constexpr (sizeof(Number) == 4) return __builtin_bswap32(number);
  if constexpr (sizeof(Number) == 8) return __builtin_bswap64(number);
  return number;
}

}  // namespace

/// The bit order is that of the byte order: the first bits of a byte are its lowest in a
/// little-endian field, its highest in a big-endian one.
inline std::uint64_t FieldReader::bits_at(std::uint64_t bit, unsigned size, bool big_endian) const {
  const std::uint8_t* at = data_ + bit / 8;
  const unsigned shift = bit % 8;
  if (shift == 0) {
    if (size == 64) return whole<std::uint64_t>(at, big_endian);
    if (size == 32) return whole<std::uint32_t>(at, big_endian);
    if (size == 16) return whole<std::uint16_t>(at, big_endian);
    if (size == 8) return *at;
  }
  const unsigned bytes = (shift + size + 7) / 8;
  unsigned __int128 all = 0;
  for (unsigned i = 0; i < bytes; ++i)
    all |= static_cast<unsigned __int128>(at[big_endian ? bytes - 1 - i : i]) << (8 * i);
  all >>= big_endian ? 8 * bytes - shift - size : shift;
  const std::uint64_t mask = size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
  return static_cast<std::uint64_t>(all) & mask;
}

inline bool FieldReader::skip(std::uint64_t bits) {
  if (!has(bits)) return false;
  bit_ += bits;
  return true;
}

inline bool FieldReader::align(std::uint32_t bits) {
  const std::uint64_t past = bit_ & (bits - 1);
  return past == 0 || skip(bits - past);
}

inline bool FieldReader::integer(const Step& step) {
  if (!align(step.align) || !has(step.size)) return false;
  const std::uint64_t raw = bits_at(bit_, step.size, step.big_endian);
  bit_ += step.size;
  if (step.clock) {
    if (step.size == 64) {
      values_->clock = raw;
    } else {
      // The low bits of the time: it never goes back, so where they are lower they went round.
      const std::uint64_t round = std::uint64_t{1} << step.size;
      std::uint64_t now = (values_->clock & ~(round - 1)) | raw;
      if (now < values_->clock) now += round;
      values_->clock = now;
    }
  }
  if (step.slot >= 0) {
    auto value = static_cast<std::int64_t>(raw);
    if (step.is_signed && step.size < 64)
      value = static_cast<std::int64_t>(raw << (64 - step.size)) >> (64 - step.size);
    values_->numbers[static_cast<std::size_t>(step.slot)] = value;
  }
  return true;
}

bool FieldReader::text(const Step& step) {
  if (!align(8)) return false;
  const std::uint8_t* at = data_ + bit_ / 8;
  const std::uint64_t room = (end_ - bit_) / 8;
  const void* zero = std::memchr(at, 0, room);
  if (zero == nullptr) return false;
  const auto length = static_cast<std::size_t>(static_cast<const std::uint8_t*>(zero) - at);
  if (step.slot >= 0)
    values_->texts[static_cast<std::size_t>(step.slot)] = {reinterpret_cast<const char*>(at),
                                                           length};
  bit_ += 8 * (length + 1);
  return true;
}

bool FieldReader::characters(const Step& step) {
  if (!align(8) || !has(std::uint64_t{8} * step.count)) return false;
  const char* at = reinterpret_cast<const char*>(data_ + bit_ / 8);
  if (step.slot >= 0)
    values_->texts[static_cast<std::size_t>(step.slot)] = {at, strnlen(at, step.count)};
  bit_ += std::uint64_t{8} * step.count;
  return true;
}

bool FieldReader::repeat(const Step& step, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t before = bit_;
    if (!read({step.first, step.last})) return false;
    if (step.slot >= 0 &&
        values_->lists[static_cast<std::size_t>(step.slot)].size() != longest_list)
      values_->lists[static_cast<std::size_t>(step.slot)].push_back(static_cast<std::uint64_t>(
          values_->numbers[static_cast<std::size_t>(layout_->steps[step.first].slot)]));
    if (bit_ == before) return true;  // of no size: nor are the others
  }
  return true;
}

bool FieldReader::variant(const Step& step) {
  const std::int64_t tag = values_->numbers[static_cast<std::size_t>(step.from)];
  for (std::uint32_t i = step.first; i != step.last; ++i) {
    const Option& option = layout_->options[i];
    if (option.low <= tag && tag <= option.high) return read(option.steps);
  }
  return false;
}

bool FieldReader::read(const Step& step) {
  if (step.op == Op::integer) [[likely]]
    return integer(step);
  switch (step.op) {
    case Op::integer: return integer(step);
    case Op::skip: return align(step.align) && skip(std::uint64_t{step.size} * step.count);
    case Op::text: return text(step);
    case Op::characters: return characters(step);
    case Op::array: return repeat(step, step.count);
    case Op::sequence:
      return repeat(
          step, static_cast<std::uint64_t>(values_->numbers[static_cast<std::size_t>(step.from)]));
    case Op::variant: return variant(step);
    case Op::align: return align(step.align);
  }
  return false;
}

}  // namespace wirecost::ctf
