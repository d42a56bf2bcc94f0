// SPDX-License-Identifier: Apache-2.0
// One instance of the FMU, free of any FMI version.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "osmp/model.hpp"

namespace wirecost::fmu {

class Instance {
 public:
  using Log = std::function<void(const std::string&)>;

  explicit Instance(Log log) : log_(std::move(log)), variables(declaration) {
    initialize(variables);
  }

  bool start();  ///< leave initialization: parameters are final
  bool step(double time, double step_size);
  bool terminate();  ///< idempotent: the model's log is written once
  bool reset();

  /// Reads or writes variables; false if a reference does not exist.
  template <class T, class U>
  bool get(const std::vector<T>& from, std::span<const std::uint32_t> references, U* values) {
    for (const std::uint32_t reference : references) {
      if (reference >= from.size()) return refuse(reference);
      *values++ = convert<U>(from[reference]);
    }
    return true;
  }
  template <class T, class U>
  bool set(std::vector<T>& to, std::span<const std::uint32_t> references, const U* values) {
    for (const std::uint32_t reference : references) {
      if (reference >= to.size()) return refuse(reference);
      to[reference] = T(*values++);
    }
    initialize(variables);
    return true;
  }

  /// FMI 3 only: a received message is copied, as its rules for Binary demand.
  bool set_binary(const Binary& binary, Bytes bytes);

  bool fail(const std::string& message) const;
  bool refuse(std::uint32_t reference) const {
    return fail("no variable with value reference " + std::to_string(reference));
  }

 private:
  template <class U, class T>
  static U convert(const T& value) {
    if constexpr (requires { value.c_str(); })
      return value.c_str();
    else
      return static_cast<U>(value);
  }

  Log log_;

 public:
  Variables variables;

 private:
  std::unique_ptr<Model> model_;
  std::unordered_map<const Binary*, std::vector<std::byte>> received_;
};

}  // namespace wirecost::fmu
