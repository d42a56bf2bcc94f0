// SPDX-License-Identifier: Apache-2.0
// A contender carries a repeated field, from plain elements to bytes and back to values.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/repeated/repeated_field.hpp"

namespace wirecost::bench::repeated {

struct About {
  std::string name, mode, wire, library, guarantees;
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual const About& about() const = 0;

  /// The elements' values, array after array in the order of the fields, `count` in each. Called
  /// before anything else. Throws std::invalid_argument if there are more or fewer bytes.
  virtual void load(std::span<const std::byte> content, std::size_t count) = 0;
  /// Elements into the contender's own buffer, which it uses again.
  virtual void encode() = 0;
  /// Every field of every element out of the buffer, into the sum. Throws std::runtime_error.
  virtual void decode() = 0;
  /// What `decode` read since the last call: equal for contenders that read the same.
  virtual std::uint64_t take_sum() = 0;

  /// The message, after `encode`.
  virtual std::span<const std::byte> encoded() const = 0;
  /// What the contender's own decoder delivers, laid out as the content.
  virtual std::vector<std::byte> decoded() = 0;
  /// Overwrites the buffer with `value`, so that bytes nobody writes show.
  virtual void poison(std::byte value) = 0;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

/// The bits of all values, added up: which value is whose cannot be seen in it, but nothing can be
/// left unread, and rows and columns come to the same.
template <class Repeated>
class Digest {
 public:
  void begin(std::size_t) {}
  void element(std::size_t, const typename Repeated::Element& element) {
    for_each_field<Repeated>([&](const auto& field, auto index) {
      sum_ += bits(static_cast<StoredOf<Repeated, index>>(field.get(element)));
    });
  }
  template <std::size_t index>
  void column(std::span<const StoredOf<Repeated, index>> values) {
    std::uint64_t sum = 0;
    for (const auto value : values) sum += bits(value);
    sum_ += sum;
  }
  std::uint64_t take() { return std::exchange(sum_, 0); }

 private:
  template <class T>
  static std::uint64_t bits(T value) {
    if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<std::uint64_t>(value);
    else if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<std::uint32_t>(value);
    else
      return static_cast<std::uint64_t>(value);
  }

  std::uint64_t sum_ = 0;
};

/// All values, field by field.
template <class Repeated>
class Values {
 public:
  void begin(std::size_t count) {
    for_each_field<Repeated>(
        [&](const auto&, auto index) { std::get<index>(arrays_).resize(count); });
  }
  void element(std::size_t i, const typename Repeated::Element& element) {
    for_each_field<Repeated>([&](const auto& field, auto index) {
      std::get<index>(arrays_)[i] = static_cast<StoredOf<Repeated, index>>(field.get(element));
    });
  }
  template <std::size_t index>
  void column(std::span<const StoredOf<Repeated, index>> values) {
    std::get<index>(arrays_).assign(values.begin(), values.end());
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all;
    for_each_field<Repeated>([&](const auto&, auto index) {
      const auto part = std::as_bytes(std::span(std::get<index>(arrays_)));
      all.insert(all.end(), part.begin(), part.end());
    });
    return all;
  }

 private:
  Arrays<Repeated> arrays_;
};

}  // namespace wirecost::bench::repeated
