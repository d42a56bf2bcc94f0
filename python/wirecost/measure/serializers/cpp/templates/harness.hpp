// SPDX-License-Identifier: Apache-2.0
// One program per library; its driver is Python and reads standard output.
//   verify FOLDER CONTENT       each mode's messages, sent and sent again once read, into files
//   allocator                   the files in which its malloc and free lie
//   measure N MODE CONTENT...   the allocator; samples: content, repetition, stage, nanoseconds per
//                               message; messages that were timed: content, repetition, sent, the
//                               bytes, what they should be
//   count MODE CONTENT          allocations per message, if the library that counts is preloaded
//   memory MODE CONTENT         bytes that malloc gives for a message, and those that stay given
// CONTENT: a file of messages, each behind its length in 8 bytes, little-endian.
#pragma once

#include <dlfcn.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
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
#include <numeric>
#include <optional>
#include <random>
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

// Changes what a message holds and not how many bytes that takes on any wire: no two passes send
// the same, so that nothing kept of an earlier one is right.
class Alteration {
 public:
  explicit Alteration(std::mt19937_64& random) : random_(random) {}

  // Long messages are changed at their beginning.
  bool is_done() const { return left_ == 0; }

  template <class T>
  void number(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      if (!std::isnormal(value)) return;
      value = std::bit_cast<T>(std::bit_cast<Bits>(value) ^ static_cast<Bits>(take() % 16));
    } else if (value >= 64) {  // a varint keeps its length
      value = static_cast<T>((value / 64) * 64 + static_cast<T>(take() % 64));
    }
  }
  void text(char* data, std::size_t size) {
    if (size == 0) return;
    char& letter = data[take() % size];
    if (letter >= ' ' && letter <= '~') letter = static_cast<char>('a' + random_() % 26);
  }
  template <class T>
  void octets(T& value) {
    if (value.size() != 0) value[take() % value.size()] = static_cast<std::uint8_t>(random_());
  }

 private:
  std::uint64_t take() {
    --left_;
    return random_();
  }

  std::mt19937_64& random_;
  int left_ = 64;
};

template <class T>
void add_octets(Alteration& alteration, T& value) {
  if (!alteration.is_done()) alteration.octets(value);
}

template <class T>
void add(Alteration& alteration, T& value) {
  if (alteration.is_done()) return;
  if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
  } else if constexpr (std::is_arithmetic_v<T>) {
    alteration.number(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    alteration.text(value.data(), value.size());
  } else if constexpr (IsVariant<T>::value) {
    std::visit([&alteration](auto& held) { add(alteration, held); }, value);
  } else if constexpr (requires { Walk<T>::fields(alteration, value); }) {
    Walk<T>::fields(alteration, value);
  } else if constexpr (requires { value.settle(); }) {  // a map, in the order of its keys
  } else if constexpr (requires { value.begin(); }) {
    for (auto&& element : value) add(alteration, element);
  } else if constexpr (requires { value.has_value(); }) {
    if (value.has_value()) add(alteration, *value);
  }
}

enum Stage : std::uint8_t { fill, encode, decode, read, destroy, stages };
constexpr std::array<const char*, stages> stage_names{"fill", "encode", "decode", "read",
                                                      "destroy"};

using Bytes = std::vector<std::byte>;

// Time that the thread ran: elapsed, without what it waited for a processor. The thread's own clock
// is read outside the elapsed time, as reading it may take longer than a short pass.
class Stopwatch {
 public:
  double nanoseconds() const {
    const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - begin_).count();
    return std::min(elapsed, static_cast<double>(thread_ns() - ran_before_));
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::int64_t thread_ns() {
    timespec ran{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return std::int64_t{ran.tv_sec} * 1'000'000'000 + ran.tv_nsec;
  }

  std::int64_t ran_before_ = thread_ns();
  Clock::time_point begin_ = Clock::now();
};

// Fewer or smaller messages are repeated: a pass through them would measure the clock.
constexpr std::size_t least_messages = 64, enough_bytes = 64 << 10;

// Messages as they are sent, in the form from which everyone fills in theirs, and what reading each
// adds up to.
template <class Holder>
struct Content {
  std::vector<Holder> values;
  std::vector<std::uint64_t> sums;
  std::size_t largest = 0;
  std::size_t bytes = 0;

  void repeat() {
    const std::size_t count = values.size(), once = bytes;
    for (std::size_t i = 0; count != 0 && values.size() < least_messages && bytes < enough_bytes;
         ++i) {
      values.push_back(Holder(values[i % count]));
      sums.push_back(sums[i % count]);
      bytes += once / count;
    }
  }
  void alter(std::mt19937_64& random) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      Alteration alteration(random);
      add(alteration, values[i]);
      Sum sum;
      add(sum, std::as_const(values[i]));
      sums[i] = sum.take();
    }
  }
  std::uint64_t sum(std::size_t count) const {
    return std::accumulate(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count),
                           std::uint64_t{0});
  }
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

using Contenders = std::vector<std::unique_ptr<Contender>>;

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

inline Bytes contents_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "its content cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

// A sample of fewer nanoseconds would measure the clock.
constexpr double least_sample_ns = 100'000;
// Bytes of a message that is printed.
constexpr std::size_t longest_sent = 1 << 20;

inline void print_hex(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) std::printf("%02x", std::to_integer<unsigned>(byte));
}

// One content, and the contender that carries it.
template <class Holder>
struct Measured {
  Content<Holder>& content;
  Contender& contender;
  std::size_t passes = 1;

  std::size_t messages() const { return content.values.size(); }
  void check_sum(std::size_t count) {
    const std::uint64_t sum = contender.take_sum();
    require(contender.is_floor() || contender.is_lossy() || sum == content.sum(count),
            "it did not read what was sent");
  }
};

// Measures in turns; messages differ in every pass, and how many there are is not foreseen, so that
// nobody knows which are looked at. `bytes_of` gives the bytes that a message should have.
template <class Holder, class BytesOf>
class Measurement {
 public:
  Measurement(std::vector<Measured<Holder>> all, BytesOf bytes_of)
      : all_(std::move(all)), bytes_of_(bytes_of) {}

  void run(std::size_t repetitions) {
    for (Measured<Holder>& one : all_) {
      for (int i = 0; i < 3; ++i) one.contender.run_total(one.messages());
      const Stopwatch stopwatch;
      one.contender.run_total(one.messages());
      const double ns = std::max(stopwatch.nanoseconds(), 1.0);
      one.passes = static_cast<std::size_t>(least_sample_ns / ns) + 1;
    }
    looked_at_ = random_() % std::max<std::size_t>(repetitions, 1);
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      for (std::size_t at = 0; at < all_.size(); ++at) {
        total(at, repetition);
        all_stages(at, repetition);
      }
      std::fflush(stdout);
    }
  }

 private:
  void total(std::size_t at, std::size_t repetition) {
    Measured<Holder>& one = all_[at];
    one.contender.run_total(one.messages());  // the others have left their own data in the caches
    one.contender.take_sum();
    double ns = 0;
    std::size_t carried = 0, count = 0;
    for (std::size_t pass = 0; pass < one.passes; ++pass) {
      one.content.alter(random_);
      carried += count = one.messages() - random_() % (one.messages() / 2 + 1);
      const Stopwatch stopwatch;
      one.contender.run_total(count);
      ns += stopwatch.nanoseconds();
      one.check_sum(count);
    }
    print_sent(at, repetition, one.contender.last(), count - 1);
    print(at, repetition, "total", ns / static_cast<double>(carried));
  }

  void all_stages(std::size_t at, std::size_t repetition) {
    Measured<Holder>& one = all_[at];
    std::array<double, stages> ns{};
    for (std::size_t pass = 0; pass <= one.passes; ++pass) {
      one.content.alter(random_);
      for (std::size_t stage = 0; stage < stages; ++stage) {
        const Stopwatch stopwatch;
        one.contender.run(static_cast<Stage>(stage));
        if (pass != 0) ns[stage] += stopwatch.nanoseconds();  // the first one warms
        if (stage == encode && pass == 0) {
          const std::size_t i = random_() % one.messages();
          print_sent(at, repetition, one.contender.sent(i), i);
        }
      }
      one.check_sum(one.messages());
    }
    for (std::size_t stage = 0; stage < stages; ++stage)
      print(at, repetition, stage_names[stage],
            ns[stage] / static_cast<double>(one.passes * one.messages()));
  }

  // For an independent reader, once in each process; long messages would take long to be read.
  void print_sent(std::size_t at, std::size_t repetition, std::span<const std::byte> bytes,
                  std::size_t i) {
    if (repetition != looked_at_ || all_[at].contender.is_floor() || bytes.size() > longest_sent)
      return;
    std::printf("%zu\t%zu\tsent\t", at, repetition);
    print_hex(bytes);
    std::printf("\t");
    print_hex(bytes_of_(all_[at].content.values[i]));
    std::printf("\n");
  }
  static void print(std::size_t at, std::size_t repetition, const char* stage, double ns) {
    std::printf("%zu\t%zu\t%s\t%.3f\n", at, repetition, stage, ns);
  }

  std::vector<Measured<Holder>> all_;
  BytesOf bytes_of_;
  std::size_t looked_at_ = 0;
  std::mt19937_64 random_{std::random_device{}()};
};

// The loader ignores a library that it cannot preload.
inline void print_allocator() {
  std::printf("allocator");
  for (const char* name : {"malloc", "free"}) {
    Dl_info info{};
    const void* const function = dlsym(RTLD_DEFAULT, name);
    const bool is_known = function != nullptr && dladdr(function, &info) != 0;
    std::printf("\t%s", is_known ? info.dli_fname : "unknown");
  }
  std::printf("\n");
}

}  // namespace message_bench

// callgrind counts the instructions of this function alone, by its name.
extern "C" [[gnu::noinline]] inline void wirecost_counted(message_bench::Contender& contender,
                                                          std::size_t messages) {
  contender.run_total(messages);
}

namespace message_bench {

inline void count(Contender& contender, std::size_t messages) {
  using Counts = const std::uint64_t*();
  auto* const counts = reinterpret_cast<Counts*>(dlsym(RTLD_DEFAULT, "wirecost_allocation_counts"));
  for (int i = 0; i < 3; ++i) contender.run_total(messages);
  const std::uint64_t before = counts != nullptr ? *counts() : 0;
  wirecost_counted(contender, messages);
  const std::uint64_t made = (counts != nullptr ? *counts() : 0) - before;
  std::printf("%.3f\n", static_cast<double>(made) / static_cast<double>(messages));
}

// What malloc has given and not got back, its own headers included.
inline std::size_t given() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

inline void memory(Contender& contender) {
  std::printf("memory");  // standard output has its buffer from here on
  const std::size_t before = given();
  // Arenas grow to the size of their first message, and free lists are filled by it.
  for (const Stage stage : {fill, destroy, fill}) contender.run(stage);
  const std::size_t during = given();
  contender.run(destroy);
  // Less than before where it had freed what was there at the start.
  std::printf("\t%zu\t%td\n", during - before, static_cast<std::ptrdiff_t>(given() - before));
}

inline void put(std::ofstream& file, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  std::array<char, 8> length{};
  std::memcpy(length.data(), &size, 8);
  file.write(length.data(), 8);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
}

// MODE.sent and, where it can, MODE.back.
inline void verify(Contender& one, std::size_t messages, std::uint64_t expected,
                   const std::string& folder) {
  for (int stage = fill; stage < destroy; ++stage) one.run(static_cast<Stage>(stage));
  const bool read_all = one.take_sum() == expected || one.is_lossy();
  std::ofstream sent(folder + "/" + one.mode() + ".sent", std::ios::binary);
  std::optional<std::ofstream> back;
  for (std::size_t i = 0; i < messages; ++i) {
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

// `decoded` makes a holder of a message's bytes and adds it up; `bytes_of` makes bytes of a holder;
// `modes` makes a contender of each mode for a content.
template <class Holder, class Decoded, class BytesOf, class Modes>
class Program {
 public:
  Program(Decoded decoded, BytesOf bytes_of, Modes modes)
      : decoded_(decoded), bytes_of_(bytes_of), modes_(modes) {}

  void run(std::span<const char* const> arguments) {
    require(!arguments.empty(), "a command is missing");
    const std::string command = arguments[0];
    if (command == "allocator") return print_allocator();
    const std::size_t own = command == "measure" ? 3 : 2;  // the words before the contents
    require(arguments.size() > own, "a content is missing");
    for (const char* path : arguments.subspan(own)) load(path);
    if (command == "verify") {
      Content<Holder>& content = *contents_.at(0);
      for (const auto& one : modes_(content))
        verify(*one, content.values.size(), content.sum(content.values.size()), arguments[1]);
    } else if (command == "count") {
      count(*chosen(*contents_.at(0), arguments[1]), contents_.at(0)->values.size());
    } else if (command == "memory") {
      memory(*chosen(*contents_.at(0), arguments[1]));
    } else {
      require(command == "measure", "its command is not known");
      print_allocator();
      measure(std::strtoull(arguments[1], nullptr, 10), arguments[2]);
    }
  }

 private:
  void load(const char* path) {
    const Bytes bytes = contents_of(path);
    auto& content = *contents_.emplace_back(std::make_unique<Content<Holder>>());
    for (std::span<const std::byte> rest(bytes); !rest.empty();) {
      std::uint64_t size = 0;
      require(rest.size() >= 8, "its content is cut");
      std::memcpy(&size, rest.data(), 8);
      require(size <= rest.size() - 8, "its content is cut");
      content.sums.push_back(decoded_(rest.subspan(8, size), content.values.emplace_back()));
      content.largest = std::max<std::size_t>(content.largest, size);
      content.bytes += size;
      rest = rest.subspan(8 + size);
    }
    content.largest += content.largest / 2 + 64;  // another writer may need more
  }

  std::unique_ptr<Contender> chosen(const Content<Holder>& content, std::string_view mode) {
    for (auto& one : modes_(content))
      if (one->mode() == mode) return std::move(one);
    throw std::runtime_error("its mode is not known");
  }

  void measure(std::size_t repetitions, std::string_view mode) {
    std::vector<std::unique_ptr<Contender>> contenders;
    std::vector<Measured<Holder>> all;
    for (const auto& content : contents_) {
      content->repeat();
      contenders.push_back(chosen(*content, mode));
      all.push_back({*content, *contenders.back()});
    }
    Measurement<Holder, BytesOf>(std::move(all), bytes_of_).run(repetitions);
  }

  Decoded decoded_;
  BytesOf bytes_of_;
  Modes modes_;
  std::vector<std::unique_ptr<Content<Holder>>> contents_;
};

template <class Holder, class Decoded, class BytesOf, class Modes>
int main(int argc, char** argv, Decoded decoded, BytesOf bytes_of, Modes modes) {
  try {
    const std::vector<const char*> arguments(argv + 1, argv + argc);
    Program<Holder, Decoded, BytesOf, Modes>(decoded, bytes_of, modes).run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace message_bench
