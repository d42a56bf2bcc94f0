// SPDX-License-Identifier: Apache-2.0
// A model's variables: declared once, numbered for FMI 2 and FMI 3, described in XML from here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wirecost/codec/codec.hpp"

namespace wirecost::fmu {

enum class Causality : std::uint8_t { input, output, parameter, calculated_parameter };
enum class Type : std::uint8_t { boolean, integer, real, string };

/// A plain variable. `reference` is its FMI 2 value reference, unique within its type.
struct Scalar {
  const char* name;
  Type type;
  std::uint32_t reference;
  Causality causality;
  const char* start;
  const char* description;
};

/// An OSMP binary variable: three integers in FMI 2 (base.lo, base.hi, size at `reference`, +1,
/// +2), one Binary in FMI 3.
struct Binary {
  const char* name;
  const char* message;
  std::uint32_t reference;
  Causality causality;
};

/// The declaration of a model: the content of its modelDescription.xml.
struct Declaration {
  const char* model;  // "source" or "sensor"
  const char* description;
  std::span<const Binary> binaries;
  std::span<const Scalar> scalars;
};

/// FMI 3 numbers all variables in one row: 0 is time, then the binaries, then the scalars.
inline std::uint32_t fmi3_reference(const Binary& binary, const Declaration& d) {
  return 1 + static_cast<std::uint32_t>(&binary - d.binaries.data());
}
inline std::uint32_t fmi3_reference(const Scalar& scalar, const Declaration& d) {
  return 1 + static_cast<std::uint32_t>(d.binaries.size()) +
         static_cast<std::uint32_t>(&scalar - d.scalars.data());
}

/// The values of one instance, by FMI 2 value reference.
class Variables {
 public:
  explicit Variables(const Declaration& declaration);

  void reset();

  std::vector<int> booleans, integers;
  std::vector<double> reals;
  std::vector<std::string> strings;

  /// The message at a binary variable; empty if its address or size makes no sense.
  Bytes message(std::uint32_t reference) const;
  /// Publishes a message, which stays the caller's. False if it is 2 GiB or longer.
  bool set_message(std::uint32_t reference, Bytes bytes);

 private:
  const Declaration& declaration_;
};

}  // namespace wirecost::fmu
