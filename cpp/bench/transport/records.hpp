// SPDX-License-Identifier: Apache-2.0
// Stamps of a run, kept in memory that was touched before, and written when it is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace wirecost::bench::transport {

/// Of a file.
constexpr std::size_t most_rows = 2'000'000;

/// CLOCK_MONOTONIC, in nanoseconds.
inline std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Sleeps until CLOCK_MONOTONIC is `due`.
void sleep_until(std::int64_t due);

class Records {
 public:
  /// `rows`: as many as there will be, else what is usual.
  explicit Records(std::size_t rows, std::size_t width);

  [[nodiscard]] std::size_t size() const { return rows_.size() / width_; }
  [[nodiscard]] bool full() const { return size() >= most_rows; }
  void add(std::initializer_list<std::int64_t> row) { rows_.insert(rows_.end(), row); }
  /// Throws Failure.
  void write(const std::string& path) const;

 private:
  std::size_t width_;
  std::vector<std::int64_t> rows_;
};

}  // namespace wirecost::bench::transport
