// SPDX-License-Identifier: Apache-2.0
// Calls that the program's own code reports, because it was built to: by address, or by number.
#pragma once

#include <cstdint>

namespace wirecost::function {

struct Reported {
  std::uintptr_t address, size;
  std::uint32_t section;
};

/// From now on calls of this function are recorded. By one thread at a time.
void report_calls_of(const Reported& function);

/// Its code is gone, or another's. By one thread at a time.
void forget_calls_of(std::uintptr_t address);

/// The function at `address`; null: it is not recorded.
const Reported* reported_at(std::uintptr_t address);

/// `place`: anything on the stack that lies lower the deeper the call. `from`: the code that
/// reports it. Calls that did not say that they were left, because an exception or longjmp left
/// them, are given up by the next one.
void reported_begin(const Reported& function, std::uintptr_t place, std::uintptr_t from);
void reported_end(std::uint32_t section);

}  // namespace wirecost::function
