// SPDX-License-Identifier: Apache-2.0
#include "bench/transport/records.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr std::size_t usual_rows = 100'000;
constexpr std::int64_t second = 1'000'000'000;

}  // namespace

void sleep_until(std::int64_t due) {
  const timespec time{.tv_sec = due / second, .tv_nsec = due % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

Records::Records(std::size_t rows, std::size_t width) : width_(width) {
  const auto expected = std::min(rows == 0 ? usual_rows : rows, most_rows);
  rows_.resize(expected * width);
  rows_.clear();
}

void Records::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(rows_.size() * sizeof rows_[0]);
  file.write(reinterpret_cast<const char*>(rows_.data()), bytes);
  file.close();
  if (!file) throw Failure(path + ": cannot be written; make room there");
}

}  // namespace wirecost::bench::transport
