// SPDX-License-Identifier: Apache-2.0
// A contender in a process of its own: a process records one set of counters.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "probe/cpp/contender.hpp"

namespace wirecost::bench::probe {

class ContenderProcess {
 public:
  /// Starts the process, which answers once it is prepared. `folder`: where the probe logs;
  /// `records`: how many its log must hold. Throws std::runtime_error.
  ContenderProcess(Contender& contender, const std::string& folder, std::size_t records);
  ~ContenderProcess();
  ContenderProcess(const ContenderProcess&) = delete;
  ContenderProcess& operator=(const ContenderProcess&) = delete;

  /// Empty, or why this contender cannot be run here.
  const std::string& missing() const { return missing_; }

  /// Nanoseconds that `times` sections took, after some that warm. Throws std::runtime_error.
  std::int64_t measure(std::size_t times);

  /// A section with planted work: so many pages of new memory touched, and a loop of
  /// `planted_instructions` times as many instructions or more. Throws std::runtime_error.
  Seen plant(std::size_t pages);

 private:
  struct Order {
    std::uint64_t planted_pages;
    std::uint64_t times;
  };

  [[noreturn]] static void serve(Contender& contender, int orders, int answers);
  template <class Answer>
  Answer ask(const Order& order);

  std::string name_;
  std::string missing_;
  pid_t process_ = -1;
  int orders_ = -1;
  int answers_ = -1;
};

inline constexpr std::size_t warm_runs = 20;
inline constexpr std::size_t planted_instructions = 20'000;

}  // namespace wirecost::bench::probe
