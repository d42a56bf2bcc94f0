// SPDX-License-Identifier: Apache-2.0
#include "thread_usage.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>

namespace wirecost::probe {

bool ThreadUsage::add(std::size_t index, const std::string& name) {
  static constexpr std::array<const char*, quantities> names{"minor-faults",     "major-faults",
                                                             "context-switches", "block-input",
                                                             "block-output",     "cpu-migrations"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return false;
  const auto quantity = static_cast<Quantity>(found - names.begin());
  rusage usage{};
  if (quantity == migrations)
    processor_ = sched_getcpu();
  else
    calls_system_ = calls_system_ || getrusage(RUSAGE_THREAD, &usage) == 0;
  if (quantity == migrations ? processor_ < 0 : !calls_system_) return false;
  const auto bit = static_cast<std::uint8_t>(1U << index);
  counters_of_[quantity] |= bit;
  opened_ |= bit;
  return true;
}

void ThreadUsage::read(Snapshot& snapshot) {
  if (calls_system_) {
    rusage usage{};
    const bool reported = getrusage(RUSAGE_THREAD, &usage) == 0;
    set(snapshot, minor_faults, static_cast<std::uint64_t>(usage.ru_minflt) - left_out_.minor,
        reported);
    set(snapshot, major_faults, static_cast<std::uint64_t>(usage.ru_majflt) - left_out_.major,
        reported);
    set(snapshot, block_input, static_cast<std::uint64_t>(usage.ru_inblock), reported);
    set(snapshot, block_output, static_cast<std::uint64_t>(usage.ru_oublock), reported);
    set(snapshot, switches, static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw), reported);
  }
  if (counters_of_[migrations] != 0) {
    // The C library reads it where the kernel keeps it up to date, in the thread's own memory.
    const int processor = sched_getcpu();
    if (processor != processor_) ++changes_;
    processor_ = processor;
    set(snapshot, migrations, changes_, true);
  }
}

ThreadUsage::Faults ThreadUsage::faults() const {
  rusage usage{};
  if (calls_system_) getrusage(RUSAGE_THREAD, &usage);
  return {static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_majflt)};
}

void ThreadUsage::leave_out_since(const Faults& before) {
  const Faults now = faults();
  left_out_.minor += now.minor - before.minor;
  left_out_.major += now.major - before.major;
}

void ThreadUsage::set(Snapshot& snapshot, Quantity quantity, std::uint64_t value,
                      bool reported) const {
  for (unsigned left = counters_of_[quantity]; left != 0; left &= left - 1)
    snapshot.set(static_cast<std::size_t>(std::countr_zero(left)), value, 0, 0);
  if (reported) snapshot.counting |= counters_of_[quantity];
}

}  // namespace wirecost::probe
