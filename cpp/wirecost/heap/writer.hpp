// SPDX-License-Identifier: Apache-2.0
// Text to a file descriptor without allocating: usable at exit and in a signal handler.
#pragma once

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace wirecost::heap {

class Writer {
 public:
  explicit Writer(int descriptor) : descriptor_(descriptor) {}
  ~Writer() { flush(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& put(const char* text) { return put(text, strlen(text)); }

  Writer& put(std::uint64_t value) {
    char digits[20];
    return put(digits + sizeof digits - format(value, digits), format(value, digits));
  }

  Writer& put(std::int64_t value) {
    if (value < 0) put("-");
    const auto bits = static_cast<std::uint64_t>(value);
    return put(value < 0 ? ~bits + 1 : bits);
  }

  Writer& hex(std::uint64_t value) {
    put("0x");
    for (int shift = 60; shift >= 0; shift -= 4) {
      if (value >> shift != 0 || shift == 0) put(&"0123456789abcdef"[(value >> shift) & 15], 1);
    }
    return *this;
  }

  /// Right-aligned in `width` columns.
  Writer& column(std::uint64_t value, std::size_t width) {
    char digits[20];
    for (std::size_t used = format(value, digits); used < width; ++used) put(" ", 1);
    return put(value);
  }

  void flush() {
    const int saved = errno;
    for (std::size_t done = 0; done < used_;) {
      const ssize_t wrote = write(descriptor_, buffer_ + done, used_ - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) {
        failure_ = wrote < 0 ? errno : EIO;
        break;
      }
      done += static_cast<std::size_t>(wrote);
    }
    used_ = 0;
    errno = saved;
  }

  /// Why something could not be written, as errno; 0 where all that was flushed is written.
  int failure() const { return failure_; }

  Writer& put(const char* text, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
      if (used_ == sizeof buffer_) flush();
      buffer_[used_++] = text[i];
    }
    return *this;
  }

 private:
  static std::size_t format(std::uint64_t value, char (&digits)[20]) {
    std::size_t length = 0;
    do {
      digits[sizeof digits - ++length] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return length;
  }

  int descriptor_;
  int failure_ = 0;
  std::size_t used_ = 0;
  char buffer_[1024];
};

/// Appends digits to a string that has room for 20 more characters.
inline void append(char* text, std::uint64_t value) {
  std::uint64_t unit = 1;
  while (value / unit >= 10) unit *= 10;
  text += strlen(text);
  for (; unit != 0; unit /= 10) *text++ = static_cast<char>('0' + value / unit % 10);
  *text = '\0';
}

/// One clear line on stderr, then SIGABRT: what a corrupted heap deserves.
[[noreturn]] void fail(const char* problem, const void* pointer);

}  // namespace wirecost::heap
