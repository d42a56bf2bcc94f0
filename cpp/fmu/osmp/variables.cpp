// SPDX-License-Identifier: Apache-2.0
#include "osmp/variables.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace wirecost::fmu {

Variables::Variables(const Declaration& declaration) : declaration_(declaration) { reset(); }

void Variables::reset() {
  const auto at = [](auto& values, std::uint32_t reference) -> auto& {
    values.resize(std::max<std::size_t>(values.size(), reference + 1));
    return values[reference];
  };
  for (const Binary& binary : declaration_.binaries)
    for (std::uint32_t part = 0; part < 3; ++part) at(integers, binary.reference + part) = 0;
  for (const Scalar& scalar : declaration_.scalars) switch (scalar.type) {
      case Type::boolean:
        at(booleans, scalar.reference) = std::string_view(scalar.start) == "true";
        break;
      case Type::integer: at(integers, scalar.reference) = std::atoi(scalar.start); break;
      case Type::real: at(reals, scalar.reference) = std::strtod(scalar.start, nullptr); break;
      case Type::string: at(strings, scalar.reference) = scalar.start; break;
    }
}

Bytes Variables::message(std::uint32_t reference) const {
  const auto lo = std::bit_cast<std::uint32_t>(integers[reference]);
  const auto hi = std::bit_cast<std::uint32_t>(integers[reference + 1]);
  const int size = integers[reference + 2];
  const auto address = static_cast<std::uintptr_t>(std::uint64_t{hi} << 32 | lo);
  if (address == 0 || size <= 0) return {};
  // OSMP carries addresses as integers: there is no pointer to derive this one from.
  return {reinterpret_cast<const std::byte*>(address),  // NOLINT(performance-no-int-to-ptr)
          static_cast<std::size_t>(size)};
}

bool Variables::set_message(std::uint32_t reference, Bytes bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  const auto address = std::uint64_t{reinterpret_cast<std::uintptr_t>(bytes.data())};
  integers[reference] = std::bit_cast<int>(static_cast<std::uint32_t>(address));
  integers[reference + 1] = std::bit_cast<int>(static_cast<std::uint32_t>(address >> 32));
  integers[reference + 2] = static_cast<int>(bytes.size());
  return true;
}

}  // namespace wirecost::fmu
