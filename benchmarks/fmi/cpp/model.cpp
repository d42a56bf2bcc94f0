// SPDX-License-Identifier: Apache-2.0
#include "fmi/cpp/model.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace wirecost::bench::fmi {
namespace {

constexpr std::uint64_t step_between = 0x9E3779B97F4A7C15;  // odd: no two messages are alike

/// Fills a message: words that count up from a number of its own.
void fill(std::span<std::byte> message, std::uint64_t number) {
  auto* words = reinterpret_cast<std::uint64_t*>(message.data());
  const std::uint64_t first = number * step_between;
  for (std::size_t at = 0; at < message.size() / sizeof first; ++at) words[at] = first + at;
}

/// Reads every word and returns the message's number, or 0 if it is not what fill() wrote.
std::uint64_t number_of(Bytes message) {
  // The inverse of step_between modulo 2^64, by Newton's method.
  static constexpr std::uint64_t inverse = [] {
    std::uint64_t found = step_between;
    for (int round = 0; round < 5; ++round) found *= 2 - step_between * found;
    return found;
  }();
  const auto* words = reinterpret_cast<const std::uint64_t*>(message.data());
  const std::uint64_t count = message.size() / sizeof *words;
  if (count == 0 || message.size() % sizeof *words) return 0;
  const std::uint64_t first = words[0];
  std::uint64_t differences = 0;
  for (std::size_t at = 0; at < count; ++at) differences |= words[at] ^ (first + at);
  return differences ? 0 : first * inverse;
}

}  // namespace

Model::Model(std::string_view token, Log log) : count_(0), log_(std::move(log)) {
  const std::string_view digits = token.substr(token.find_last_not_of("0123456789") + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count_);
  if (!token.starts_with("wirecost-fmi-") || error != std::errc{} || count_ > most_values)
    throw std::invalid_argument("the token is not that of modelDescription.xml");
}

bool Model::refuse(std::uint32_t reference) const {
  return fail("no variable of this type with value reference " + std::to_string(reference));
}

bool Model::start() {
  if (buffers_ && message_size_) create_region();
  if (!memory_in_.name.empty())
    reader_ = std::make_unique<Reader>(memory_in_.name, memory_in_.size, memory_in_.layout);
  return true;
}

bool Model::reset() {
  *this = Model("wirecost-fmi-" + std::to_string(count_), log_);
  return true;
}

void Model::create_region() {
  if (!writer_) writer_ = std::make_unique<Writer>(kind_, message_size_, buffers_, layout);
}

bool Model::step() {
  const auto pass = [](auto& values) {
    if (!values.in.empty()) values.out = values.in;
  };
  pass(reals_);
  pass(integers_);
  pass(strings_);
  pass(binaries_);
  if (message_size_) write_message();
  return read_message();
}

void Model::write_message() {
  if (buffers_) {
    create_region();
    fill(writer_->begin(), ++written_);
    sequence_ = writer_->publish();
    return;
  }
  own_.resize(message_size_);
  fill(own_, ++written_);
}

bool Model::read_message() {
  if (!memory_in_.name.empty()) return read_region();
  if (!binary_in_.empty()) return check(binary_in_);
  if (osmp_in_[2] == 0) return true;
  const auto address = static_cast<std::uint64_t>(static_cast<std::uint32_t>(osmp_in_[1])) << 32 |
                       static_cast<std::uint32_t>(osmp_in_[0]);
  return check({reinterpret_cast<const std::byte*>(address),  // NOLINT(performance-no-int-to-ptr)
                static_cast<std::size_t>(static_cast<std::uint32_t>(osmp_in_[2]))});
}

bool Model::read_region() {
  if (memory_in_.layout != layout)
    return fail("memory_in.layout is '" + memory_in_.layout + "', this FMU reads '" + layout +
                "'; connect a terminal of the same layout");
  if (!reader_)
    reader_ = std::make_unique<Reader>(memory_in_.name, memory_in_.size, memory_in_.layout);
  const std::uint64_t sequence = memory_in_.sequence;
  const Bytes message = reader_->find(sequence);
  // Asking the kernel takes longer than reading a short message: only where none has come.
  const bool is_new = !message.empty() && sequence != read_;
  if (!is_new && !reader_->has_writer())
    return fail("memory region " + memory_in_.name +
                ": its writer has ended; start both FMUs again");
  if (sequence == 0) return true;  // nothing was written yet
  const std::uint64_t number = message.empty() ? 0 : number_of(message);
  if (message.empty() || !reader_->is_intact(sequence)) {
    ++overwritten_;
    return fail("memory region " + memory_in_.name + ": message " + std::to_string(sequence) +
                " was overwritten before it was read; step the FMUs in turns, or set more buffers");
  }
  if (number == 0) return fail("memory region " + memory_in_.name + ": holds no such message");
  read_ = sequence;
  received_ = number;
  return true;
}

bool Model::check(Bytes message) {
  const std::uint64_t number = number_of(message);
  if (number == 0) return fail("a message is not what was written");
  received_ = number;
  return true;
}

Bytes Model::newest() const { return writer_ ? writer_->latest() : Bytes(own_); }

bool Model::get_control(std::uint32_t reference, double& value) const {
  switch (reference) {
    case written: value = static_cast<double>(written_); return true;
    case received: value = static_cast<double>(received_); return true;
    case copied: value = static_cast<double>(copied_); return true;
    case overwritten: value = static_cast<double>(overwritten_); return true;
    default: return refuse(reference);
  }
}

bool Model::set_control(std::uint32_t reference, double) { return refuse(reference); }

bool Model::get_control(std::uint32_t reference, std::int32_t& value) const {
  const Bytes message = newest();
  const auto address = reinterpret_cast<std::uint64_t>(message.data());
  switch (reference) {
    case message_size: value = static_cast<std::int32_t>(message_size_); return true;
    case buffers: value = static_cast<std::int32_t>(buffers_); return true;
    case in_memfd: value = kind_ == Kind::memfd; return true;
    case osmp_out: value = static_cast<std::int32_t>(address); return true;
    case osmp_out + 1: value = static_cast<std::int32_t>(address >> 32); return true;
    case osmp_out + 2: value = static_cast<std::int32_t>(message.size()); return true;
    case osmp_in:
    case osmp_in + 1:
    case osmp_in + 2: value = osmp_in_[reference - osmp_in]; return true;
    default: return refuse(reference);
  }
}

bool Model::set_control(std::uint32_t reference, std::int32_t value) {
  const auto within = [&](std::int32_t most, std::int32_t multiple) {
    return value >= 0 && value <= most && value % multiple == 0;
  };
  switch (reference) {
    case message_size:
      if (!within(1 << 30, 8)) return fail("message_size: give a multiple of 8, at most 1 GiB");
      message_size_ = static_cast<std::size_t>(value);
      return true;
    case buffers:
      if (!within(most_buffers, 1)) return fail("buffers: give 0 to 16");
      buffers_ = static_cast<std::size_t>(value);
      return true;
    case in_memfd: kind_ = value ? Kind::memfd : Kind::shm; return true;
    case osmp_in:
    case osmp_in + 1:
    case osmp_in + 2: osmp_in_[reference - osmp_in] = value; return true;
    default: return refuse(reference);
  }
}

bool Model::get(std::uint32_t reference, std::uint64_t& value) {
  switch (reference) {
    case memory_out + 1: value = buffers_ ? message_size_ : 0; return true;
    case memory_out + 3: value = sequence_; return true;
    case memory_in + 1: value = memory_in_.size; return true;
    case memory_in + 3: value = memory_in_.sequence; return true;
    default: return refuse(reference);
  }
}

bool Model::set(std::uint32_t reference, std::uint64_t value) {
  switch (reference) {
    case memory_in + 1: memory_in_.size = value; return true;
    case memory_in + 3: memory_in_.sequence = value; return true;
    default: return refuse(reference);
  }
}

bool Model::get(std::uint32_t reference, const char*& value) {
  if (reference >= values_out) {
    const std::string* found = strings_.find(reference, count_);
    if (!found) return refuse(reference);
    value = found->c_str();
    return true;
  }
  switch (reference) {
    case memory_out:
      if (buffers_ && message_size_) create_region();
      value = writer_ ? writer_->name().c_str() : "";
      return true;
    case memory_out + 2: value = layout.c_str(); return true;
    case memory_in: value = memory_in_.name.c_str(); return true;
    case memory_in + 2: value = memory_in_.layout.c_str(); return true;
    default: return refuse(reference);
  }
}

bool Model::set(std::uint32_t reference, const char* value) {
  if (!value) return fail("a string is null; give one");
  std::string* target = reference >= values_in ? strings_.find(reference, count_) : nullptr;
  if (reference == memory_in) target = &memory_in_.name;
  if (reference == memory_in + 2) target = &memory_in_.layout;
  if (!target) return refuse(reference);
  if (reference == memory_in && *target != value) reader_ = nullptr;
  *target = value;
  copied_ += target->size();
  return true;
}

bool Model::get(std::uint32_t reference, Bytes& value) {
  if (reference >= values_out) {
    const std::vector<std::byte>* found = binaries_.find(reference, count_);
    if (!found) return refuse(reference);
    value = *found;
    return true;
  }
  switch (reference) {
    case binary_out:
    case clocked_out: value = newest(); return true;
    case binary_in:
    case clocked_in: value = binary_in_; return true;
    default: return refuse(reference);
  }
}

bool Model::set(std::uint32_t reference, Bytes value) {
  std::vector<std::byte>* target =
      reference >= values_in ? binaries_.find(reference, count_) : nullptr;
  if (reference == binary_in || reference == clocked_in) target = &binary_in_;
  if (!target) return refuse(reference);
  if (value.size() && !value.data()) return fail("a binary is null; give one");
  // FMI 3: the importer's memory is valid only until this call returns.
  target->assign(value.begin(), value.end());
  copied_ += value.size();
  return true;
}

bool Model::get_array(double* values, std::size_t count) {
  if (count != count_) return refuse(array_out);
  reals_.find(values_out, count_);
  std::ranges::copy(reals_.out, values);
  return true;
}

bool Model::set_array(const double* values, std::size_t count) {
  if (count != count_) return refuse(array_in);
  reals_.in.assign(values, values + count);
  return true;
}

}  // namespace wirecost::bench::fmi
