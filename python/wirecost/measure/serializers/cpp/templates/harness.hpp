// SPDX-License-Identifier: Apache-2.0
// What the programs of all libraries share, and each compiles: stages, sums, contenders. Their
// `main` is in program.cc, which knows no schema and is compiled once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace message_bench {

// What reading a message touches: every number and every byte. Sums do not depend on the order,
// which maps do not keep.
class Sum {
 public:
  template <class T>
  void number(T value) {
    if constexpr (std::is_same_v<T, float>) {
      sum_ += std::bit_cast<std::uint32_t>(value);
    } else if constexpr (std::is_same_v<T, double>) {
      sum_ += std::bit_cast<std::uint64_t>(value);
    } else {
      sum_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }
  void text(std::string_view value) {
    std::uint64_t sum = value.size();
    std::size_t i = 0;
    for (; i + 8 <= value.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, value.data() + i, 8);
      sum += word;
    }
    for (; i < value.size(); ++i) sum += static_cast<unsigned char>(value[i]);
    sum_ += sum;
  }
  void add(Sum other) { sum_ += other.sum_; }
  std::uint64_t take() { return std::exchange(sum_, 0); }

 private:
  std::uint64_t sum_ = 0;
};

// Of a message, by its type: adds what its fields hold.
template <class Message>
struct Walk;

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

// A list of bytes, which is read as a text is.
template <class T>
void add_octets(Sum& sum, const T& value) {
  if constexpr (requires { value.bytes(); }) {  // a view
    add_octets(sum, value.bytes());
  } else {
    sum.text({reinterpret_cast<const char*>(value.data()), value.size()});
  }
}

template <class T>
void add(Sum& sum, const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    sum.number(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    sum.text(value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
  } else if constexpr (IsVariant<T>::value) {
    std::visit([&sum](const auto& held) { add(sum, held); }, value);
  } else if constexpr (requires { Walk<T>::fields(sum, value); }) {
    Walk<T>::fields(sum, value);
  } else if constexpr (requires { value.begin(); }) {
    Sum own;  // stays in a register, whatever the list is
    for (const auto& one : value) add(own, one);
    sum.add(own);
  } else if constexpr (requires { value[value.size()]; }) {  // a view of numbers
    Sum own;
    for (std::size_t i = 0; i < value.size(); ++i) add(own, value[i]);
    sum.add(own);
  } else if constexpr (requires { value.has_value(); }) {
    if (value.has_value()) add(sum, *value);
  } else if constexpr (requires { value.first; }) {
    add(sum, value.first);
    add(sum, value.second);
  } else {
    add(sum, value.key);
    add(sum, value.value);
  }
}

enum Stage : std::uint8_t { fill, encode, decode, read, destroy, stages };

using Bytes = std::vector<std::byte>;

class Random;
class Contender;
using Contenders = std::vector<std::unique_ptr<Contender>>;

// Messages as they are sent, whatever holds them, and what reading each adds up to.
class Messages {
 public:
  std::vector<std::uint64_t> sums;
  std::size_t largest = 0;
  std::size_t bytes = 0;

  virtual ~Messages() = default;
  virtual std::size_t size() const = 0;
  // Appends the message of bytes; throws where they are none.
  virtual void append(std::span<const std::byte> bytes) = 0;
  // Appends a copy of one.
  virtual void repeat(std::size_t i) = 0;
  virtual void alter(Random& random) = 0;
  virtual Bytes bytes_of(std::size_t i) const = 0;
  // A contender of each mode.
  virtual Contenders contenders() const = 0;
};

// Messages of the program's schema, none yet.
std::unique_ptr<Messages> no_messages();

// The form from which everyone fills in theirs.
template <class Holder>
class Content : public Messages {
 public:
  std::vector<Holder> values;
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual const char* mode() const = 0;
  // Whether it only copies what was made beforehand and reads nothing.
  virtual bool is_floor() const { return false; }
  // Whether what it reads is not exactly what was sent.
  virtual bool is_lossy() const { return false; }
  // One stage of all messages; stages come in their order.
  virtual void run(Stage stage) = 0;
  // The whole path of each of the first messages, one after the other.
  virtual void run_total(std::size_t count) = 0;
  // What reading found since the last call.
  virtual std::uint64_t take_sum() = 0;
  // After `encode`.
  virtual std::span<const std::byte> sent(std::size_t i) const = 0;
  // The last message of `run_total`.
  virtual std::span<const std::byte> last() const = 0;
  // After `decode`: what was decoded, encoded again; nothing where the mode cannot.
  virtual std::optional<Bytes> back(std::size_t i) = 0;
};

inline void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// `Codec` has the functions of the stages for one message, and `again`; they throw where they fail.
template <class Codec>
class Runner final : public Contender {
 public:
  using Holder = typename Codec::Holder;

  explicit Runner(const Content<Holder>& content)
      : content_(content), room_(room_of(content)), all_(content.values.size()) {
    for (Codec& codec : all_) reserve(codec);
    if (all_.size() != 1) reserve(one_);
  }

  const char* mode() const override { return Codec::mode; }
  bool is_floor() const override {
    return requires { requires Codec::is_floor; };
  }
  bool is_lossy() const override {
    return requires { requires Codec::is_lossy; };
  }
  void run(Stage stage) override {
    switch (stage) {
      case fill:
        for (std::size_t i = 0; i < all_.size(); ++i) all_[i].fill(content_.values[i]);
        break;
      case encode:
        for (Codec& codec : all_) codec.encode();
        break;
      case decode:
        for (Codec& codec : all_) codec.decode();
        break;
      case read:
        for (Codec& codec : all_) codec.read(sum_);
        break;
      default:
        for (Codec& codec : all_) codec.destroy();
    }
  }
  void run_total(std::size_t count) override {
    Codec& codec = all_.size() == 1 ? all_.front() : one_;  // a long message is held once
    for (std::size_t i = 0; i < count; ++i) {
      codec.fill(content_.values[i]);
      codec.encode();
      codec.decode();
      codec.read(sum_);
      codec.destroy();
    }
  }
  std::uint64_t take_sum() override { return sum_.take(); }
  std::span<const std::byte> sent(std::size_t i) const override { return all_[i].sent; }
  std::span<const std::byte> last() const override {
    return all_.size() == 1 ? all_.front().sent : one_.sent;
  }
  std::optional<Bytes> back(std::size_t i) override { return all_[i].again(); }

 private:
  // Bytes that a message may take on the codec's wire.
  static std::size_t room_of(const Content<Holder>& content) {
    std::size_t room = content.largest;
    if constexpr (requires { Codec::room; }) room *= Codec::room;
    if constexpr (requires(const Holder& value) { Codec::size_of(value); }) {
      for (const Holder& value : content.values) room = std::max(room, Codec::size_of(value));
    }
    return room;
  }
  void reserve(Codec& codec) { codec.buffer.assign(room_, std::byte{0xA5}); }

  const Content<Holder>& content_;
  std::size_t room_;
  std::vector<Codec> all_;
  Codec one_;
  Sum sum_;
};

}  // namespace message_bench
