// SPDX-License-Identifier: Apache-2.0
// The FMU of the study of FMI variables, free of any FMI version: values that go through it, and
// messages that it writes and reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmi/cpp/region.hpp"

namespace wirecost::bench::fmi {

/// Value references, the same in FMI 2 and 3.
enum Reference : std::uint32_t {
  message_size = 1,  ///< bytes that every step writes as a message; 0: none
  buffers,           ///< of the shared region; 0: messages lie in memory of the FMU
  in_memfd,          ///< 1: the region is a memfd, 0: POSIX shared memory
  osmp_out = 10,     ///< low and high half of the address, size
  osmp_in = 13,
  binary_out = 20,
  binary_in,
  clocked_out,  ///< as binary_out, of clock_out
  clocked_in,
  clock_out,
  clock_in,
  memory_out = 30,  ///< name, size, layout and sequence of the region's newest message
  memory_in = 34,
  written = 40,  ///< number of the newest message of this FMU
  received,      ///< number of the newest message that it read, every byte of it checked
  copied,        ///< bytes that it copied in get and set
  overwritten,   ///< messages that were overwritten before they were read
  array_out = 50,
  array_in,
  values_out = 1 << 20,  ///< and the following
  values_in = 2 << 20,
};

/// What `size` of a memory terminal cannot say of a message.
inline const std::string layout = "uint64, little-endian";

constexpr std::uint32_t most_values = 1 << 20;

/// Values of one type. Outputs are inputs of the step before.
template <class T>
struct Values {
  std::vector<T> out, in;

  /// The value behind a reference, or null; room is made on first use.
  T* find(std::uint32_t reference, std::size_t count) {
    std::vector<T>& values = reference >= values_in ? in : out;
    const std::size_t at = reference - (reference >= values_in ? values_in : values_out);
    if (at >= values.size()) {
      if (at >= count) return nullptr;
      values.resize(count);
    }
    return &values[at];
  }
};

class Model {
 public:
  using Log = std::function<void(const std::string&)>;

  /// `token` ends in the number of values. Throws std::invalid_argument where it does not.
  Model(std::string_view token, Log log);

  bool start();  ///< leaves initialization: opens and creates regions whose names are known
  bool step();
  bool reset();

  // Numbers are here for the compiler to put into the loops of FMI's functions.
  bool get(std::uint32_t reference, double& value) { return get_number(reals_, reference, value); }
  bool set(std::uint32_t reference, double value) { return set_number(reals_, reference, value); }
  bool get(std::uint32_t reference, std::int32_t& value) {
    return get_number(integers_, reference, value);
  }
  bool set(std::uint32_t reference, std::int32_t value) {
    return set_number(integers_, reference, value);
  }
  bool get(std::uint32_t reference, std::uint64_t& value);
  bool set(std::uint32_t reference, std::uint64_t value);
  bool get(std::uint32_t reference, const char*& value);
  bool set(std::uint32_t reference, const char* value);
  bool get(std::uint32_t reference, Bytes& value);
  bool set(std::uint32_t reference, Bytes value);

  /// All values of FMI 3's array variable, one after another.
  bool get_array(double* values, std::size_t count);
  bool set_array(const double* values, std::size_t count);

  bool fail(const std::string& message) const {
    log_(message);
    return false;
  }
  bool has_message() const { return message_size_ > 0; }
  std::size_t count() const { return count_; }

 private:
  struct Terminal {
    std::string name, layout;
    std::uint64_t size = 0, sequence = 0;
  };

  template <class T>
  bool get_number(Values<T>& values, std::uint32_t reference, T& value) {
    if (reference < values_out) return get_control(reference, value);
    const T* found = values.find(reference, count_);
    if (!found) return refuse(reference);
    value = *found;
    return true;
  }
  template <class T>
  bool set_number(Values<T>& values, std::uint32_t reference, T value) {
    if (reference < values_in) return set_control(reference, value);
    T* found = values.find(reference, count_);
    if (!found) return refuse(reference);
    *found = value;
    return true;
  }

  bool get_control(std::uint32_t reference, double& value) const;
  bool set_control(std::uint32_t reference, double value);
  bool get_control(std::uint32_t reference, std::int32_t& value) const;
  bool set_control(std::uint32_t reference, std::int32_t value);
  bool refuse(std::uint32_t reference) const;
  void write_message();
  bool read_message();
  bool read_region();
  bool check(Bytes message);
  void create_region();
  Bytes newest() const;

  std::size_t count_;
  Log log_;
  Values<double> reals_;
  Values<std::int32_t> integers_;
  Values<std::string> strings_;
  Values<std::vector<std::byte>> binaries_;

  std::size_t message_size_ = 0, buffers_ = 0;
  Kind kind_ = Kind::shm;
  std::vector<std::byte> own_, binary_in_;
  std::int32_t osmp_in_[3] = {};
  Terminal memory_in_;
  std::uint64_t sequence_ = 0, read_ = 0;  ///< of the newest message written and read
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Reader> reader_;
  std::uint64_t written_ = 0, received_ = 0, copied_ = 0, overwritten_ = 0;
};

}  // namespace wirecost::bench::fmi
