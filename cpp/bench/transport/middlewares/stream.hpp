// SPDX-License-Identifier: Apache-2.0
// Messages on a descriptor of the kernel, a socket or a pipe: each lies behind its size.
#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "bench/transport/middleware.hpp"
#include "bench/transport/payload.hpp"

namespace wirecost::bench::transport {

/// Closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Waits for room. False where the other end is gone.
inline bool write_message(const Descriptor& to, Bytes message) {
  std::uint64_t size = message.size();
  std::array<iovec, 2> parts{
      {{&size, sizeof size}, {const_cast<std::byte*>(message.data()), message.size()}}};
  iovec* part = parts.data();
  while (part != parts.data() + parts.size()) {
    const auto written =
        writev(to.get(), part, static_cast<int>(parts.data() + parts.size() - part));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    auto left = static_cast<std::size_t>(written);
    while (part != parts.data() + parts.size() && left >= part->iov_len) left -= part++->iov_len;
    if (left > 0) {
      part->iov_base = static_cast<std::byte*>(part->iov_base) + left;
      part->iov_len -= left;
    }
  }
  return true;
}

class MessageReader {
 public:
  /// `longest`: bytes of a payload.
  explicit MessageReader(std::size_t longest) : bytes_(header + longest + trailer_bytes) {}

  /// Waits for a message and gives it, and those that came with it, to `on_message`. False where
  /// the other end is gone.
  bool read(const Descriptor& from, const OnMessage& on_message) {
    std::size_t begin = 0;
    while (begin == 0) {
      const auto got = ::read(from.get(), bytes_.data() + end_, bytes_.size() - end_);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return lost();
      end_ += static_cast<std::size_t>(got);
      std::uint64_t size = 0;
      while (end_ - begin >= header) {
        std::memcpy(&size, bytes_.data() + begin, header);
        if (size > bytes_.size() - header) return lost();
        if (end_ - begin - header < size) break;
        on_message({bytes_.data() + begin + header, static_cast<std::size_t>(size)});
        begin += header + size;
      }
    }
    std::memmove(bytes_.data(), bytes_.data() + begin, end_ - begin);
    end_ -= begin;
    return true;
  }

 private:
  /// Forgets a part of a message: another connection begins with a whole one.
  bool lost() {
    end_ = 0;
    return false;
  }

  static constexpr std::size_t header = sizeof(std::uint64_t);
  std::vector<std::byte> bytes_;
  std::size_t end_ = 0;
};

}  // namespace wirecost::bench::transport
