// SPDX-License-Identifier: Apache-2.0
// One program per library; its driver is Python and reads standard output.
//   verify FOLDER CONTENT        each mode's messages, sent and sent again once read, into files
//   measure N MODE CONTENT...    samples: content, repetition, stage, nanoseconds per message
// CONTENT: a file of messages, each behind its length in 8 bytes, little-endian.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
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
constexpr std::array<const char*, stages> stage_names{"fill", "encode", "decode", "read",
                                                      "destroy"};

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

// Messages as they are sent, and in the form from which everyone fills in theirs.
template <class Holder>
struct Content {
  std::vector<Holder> values;
  std::size_t largest = 0;
  std::uint64_t sum = 0;
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual const char* mode() const = 0;
  virtual std::size_t messages() const = 0;
  virtual std::uint64_t expected() const = 0;
  // One stage of all messages; stages come in their order.
  virtual void run(Stage stage) = 0;
  // The whole path of each message, one after the other.
  virtual void run_total() = 0;
  // What reading found since the last call.
  virtual std::uint64_t take_sum() = 0;
  // After `encode`.
  virtual std::span<const std::byte> sent(std::size_t i) const = 0;
  // After `decode`: what was decoded, encoded again; nothing where the mode cannot.
  virtual std::optional<Bytes> back(std::size_t i) = 0;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

inline void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// `Codec` has the functions of the stages for one message, and `again`; they throw where they fail.
template <class Codec>
class Runner final : public Contender {
 public:
  using Holder = typename Codec::Holder;

  explicit Runner(const Content<Holder>& content) : content_(content), all_(content.values.size()) {
    for (Codec& codec : all_) reserve(codec);
    reserve(one_);
  }

  const char* mode() const override { return Codec::mode; }
  std::size_t messages() const override { return all_.size(); }
  std::uint64_t expected() const override { return content_.sum; }
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
  void run_total() override {
    for (const Holder& value : content_.values) {
      one_.fill(value);
      one_.encode();
      one_.decode();
      one_.read(sum_);
      one_.destroy();
    }
  }
  std::uint64_t take_sum() override { return sum_.take(); }
  std::span<const std::byte> sent(std::size_t i) const override { return all_[i].sent; }
  std::optional<Bytes> back(std::size_t i) override { return all_[i].again(); }

 private:
  void reserve(Codec& codec) {
    std::size_t room = content_.largest;
    if constexpr (requires { Codec::room; }) room *= Codec::room;
    codec.buffer.assign(room, std::byte{0xA5});
  }

  const Content<Holder>& content_;
  std::vector<Codec> all_;
  Codec one_;
  Sum sum_;
};

inline Bytes contents_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "its content cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

inline double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// A sample of fewer nanoseconds would measure the clock.
constexpr double least_sample_ns = 100'000;

inline void measure(std::span<const std::unique_ptr<Contender>> contents, std::size_t repetitions) {
  std::vector<std::size_t> passes;
  for (const auto& one : contents) {
    for (int i = 0; i < 3; ++i) one->run_total();
    const Clock::time_point begin = Clock::now();
    one->run_total();
    const double ns = std::max(nanoseconds(Clock::now() - begin), 1.0);
    passes.push_back(static_cast<std::size_t>(least_sample_ns / ns) + 1);
    one->take_sum();
  }
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t at = 0; at < contents.size(); ++at) {
      Contender& one = *contents[at];
      const double work = static_cast<double>(passes[at] * one.messages());
      one.run_total();  // the others have left their own data in the caches
      one.take_sum();
      const Clock::time_point begin = Clock::now();
      for (std::size_t pass = 0; pass < passes[at]; ++pass) one.run_total();
      const double total = nanoseconds(Clock::now() - begin);
      require(one.take_sum() == passes[at] * one.expected(), "it did not read what was sent");
      std::printf("%zu\t%zu\ttotal\t%.3f\n", at, repetition, total / work);
      std::array<double, stages> ns{};
      for (std::size_t pass = 0; pass <= passes[at]; ++pass) {
        for (std::size_t stage = 0; stage < stages; ++stage) {
          const Clock::time_point start = Clock::now();
          one.run(static_cast<Stage>(stage));
          const double taken = nanoseconds(Clock::now() - start);
          if (pass != 0) ns[stage] += taken;  // the first one warms
        }
        require(one.take_sum() == one.expected(), "it did not read what was sent");
      }
      for (std::size_t stage = 0; stage < stages; ++stage)
        std::printf("%zu\t%zu\t%s\t%.3f\n", at, repetition, stage_names[stage], ns[stage] / work);
    }
    std::fflush(stdout);
  }
}

inline void put(std::ofstream& file, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  std::array<char, 8> length{};
  std::memcpy(length.data(), &size, 8);
  file.write(length.data(), 8);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
}

// MODE.sent and, where it can, MODE.back.
inline void verify(Contender& one, const std::string& folder) {
  for (int stage = fill; stage < destroy; ++stage) one.run(static_cast<Stage>(stage));
  const bool read_all = one.take_sum() == one.expected();
  std::ofstream sent(folder + "/" + one.mode() + ".sent", std::ios::binary);
  std::optional<std::ofstream> back;
  for (std::size_t i = 0; i < one.messages(); ++i) {
    put(sent, one.sent(i));
    const std::optional<Bytes> again = one.back(i);
    if (!again) continue;
    if (!back) back.emplace(folder + "/" + one.mode() + ".back", std::ios::binary);
    put(*back, *again);
  }
  one.run(destroy);
  // What was sent back tells which field differs.
  require(read_all || back, "it did not read what was sent");
  require(sent.flush().good() && (!back || back->flush().good()), "its files cannot be written");
}

// `decoded` makes a holder of a message's bytes and adds it up; `modes` a contender of each mode
// for a content.
template <class Holder, class Decoded, class Modes>
int main(int argc, char** argv, Decoded decoded, Modes modes) {
  try {
    require(argc >= 4, "verify FOLDER CONTENT, or measure N MODE CONTENT...");
    const std::string command = argv[1];
    std::vector<std::unique_ptr<Content<Holder>>> contents;
    for (int i = command == "verify" ? 3 : 4; i < argc; ++i) {
      const Bytes bytes = contents_of(argv[i]);
      auto& content = *contents.emplace_back(std::make_unique<Content<Holder>>());
      for (std::span<const std::byte> rest(bytes); !rest.empty();) {
        std::uint64_t size = 0;
        require(rest.size() >= 8, "its content is cut");
        std::memcpy(&size, rest.data(), 8);
        require(size <= rest.size() - 8, "its content is cut");
        content.sum += decoded(rest.subspan(8, size), content.values.emplace_back());
        content.largest = std::max<std::size_t>(content.largest, size);
        rest = rest.subspan(8 + size);
      }
      content.largest += content.largest / 2 + 64;  // another writer may need more
    }
    if (command == "verify") {
      for (const auto& one : modes(*contents.at(0))) verify(*one, argv[2]);
    } else {
      std::vector<std::unique_ptr<Contender>> chosen;
      for (const auto& content : contents)
        for (auto& one : modes(*content))
          if (one->mode() == std::string_view(argv[3])) chosen.push_back(std::move(one));
      require(chosen.size() == contents.size(), "its mode is not known");
      measure(chosen, std::strtoull(argv[2], nullptr, 10));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace message_bench
