// SPDX-License-Identifier: Apache-2.0
// A callback that records itself.
#pragma once

#include <cstdint>

#include "boost_function.hpp"

namespace wirecost::ros1 {

/// Identifiers of sections; 0: none.
struct CallbackSections {
  std::uint32_t callback = 0;
  std::uint32_t wait = 0;
  std::uint32_t deserialize = 0;
  std::uint64_t topic_hash = 0;
};

/// What a callback is called with.
struct Arrival {
  std::int64_t received_ns = 0;  ///< 0: unknown
  std::int64_t bytes = 0;
  std::uint64_t message = 0;
};
/// What the thread is about to call one with.
extern thread_local constinit Arrival arrival;

/// Puts a function that records each call in the place of `function`, which it calls. Whoever
/// copies, moves, compares or destroys it deals with the original. Nothing happens to an empty
/// function and to one that records already.
void record_calls(Function& function, const CallbackSections& sections);

/// The sections of a function that records its calls; null of any other.
const CallbackSections* sections_of(const Function& function);

}  // namespace wirecost::ros1
