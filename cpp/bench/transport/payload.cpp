// SPDX-License-Identifier: Apache-2.0
#include "bench/transport/payload.hpp"

#include <cstring>
#include <random>
#include <string>

namespace wirecost::bench::transport {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t word = 8;
constexpr std::uint32_t trailer_magic = 0x31544357;
constexpr std::size_t most_bytes = std::size_t{1} << 30U;

// Little-endian, as all that wirecost is built for.
void put(std::vector<std::byte>& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(&bytes[at], &value, word);
}

std::uint64_t get(Bytes bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, word);
  return value;
}

}  // namespace

Payload::Payload(std::size_t size, std::uint64_t run) : bytes_(size + trailer_bytes) {
  if (size < least_bytes || size > most_bytes)
    throw Failure("a payload of " + std::to_string(size) + " bytes: 24 to 1 GiB are possible");
  constexpr std::uint32_t factor = 0x9E3779B1;
  for (std::uint32_t i = 0; i < size; ++i) bytes_[i] = static_cast<std::byte>((i * factor) >> 24U);
  put(bytes_, 0, run);
  std::random_device random;
  put(bytes_, size, (std::uint64_t{random()} << 32U) | random());
  put(bytes_, size + 2 * word, std::uint64_t{trailer_magic} << 32U);
}

void Payload::set(std::int64_t number) {
  if (number == number_) return;
  number_ = number;
  const auto value = static_cast<std::uint64_t>(number);
  put(bytes_, word, value);
  for (std::size_t k = 1; k * page + 2 * word <= size(); ++k) put(bytes_, k * page, value + k);
  put(bytes_, size() - word, ~value);
}

Bytes Payload::next(std::int64_t number) {
  set(number);
  put(bytes_, size() + word, sent_++);
  return {bytes_.data(), bytes_.size()};
}

bool Payload::equals(Bytes payload, std::int64_t number) {
  set(number);
  return payload.size() == size() && std::memcmp(payload.data(), bytes_.data(), size()) == 0;
}

// See transport/shared/trailer.py, and transport/iceoryx2/memory.py for blocks.
Bytes payload_of(Bytes message) {
  const Bytes none{nullptr, 0};
  if (message.size() < trailer_bytes) return none;
  const std::size_t end = message.size() - trailer_bytes;
  const std::uint64_t last = get(message, message.size() - word);
  if (last >> 32U == trailer_magic) {
    const auto start = static_cast<std::uint32_t>(last);
    if (start > end) return none;
    return {message.data() + start, end - start};
  }
  if (end < word || get(message, message.size() - 2 * word) >> 32U != trailer_magic) return none;
  if (last > end - word) return none;
  return {message.data(), static_cast<std::size_t>(last)};
}

std::optional<Head> read_head(Bytes payload) {
  if (payload.size() < least_bytes) return std::nullopt;
  const std::uint64_t number = get(payload, word);
  if (get(payload, payload.size() - word) != ~number) return std::nullopt;
  return Head{get(payload, 0), static_cast<std::int64_t>(number)};
}

}  // namespace wirecost::bench::transport
