// SPDX-License-Identifier: Apache-2.0
// The calls that a thread has entered and not left, with the return addresses they will need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wirecost::function {

inline constexpr std::size_t most_threads = 256;
inline constexpr std::size_t block_bytes = 1024;
inline constexpr std::size_t entry_bytes = 16;
inline constexpr std::size_t entries = block_bytes / entry_bytes;
/// The first entry of a block is no stub.
inline constexpr std::size_t most_calls = entries - 1;

/// Tells the recorder which section a function's number is. Before it is first called.
void set_section(std::uint32_t function, std::uint32_t section);

/// How many objects of a function have a section of their own; all others share one.
inline constexpr std::size_t most_objects = 16;
/// Sections of the objects that a function is called on, its first argument: one for each in the
/// order in which they come, and one for all others. Behind `set_section`.
void set_sections_of_objects(std::uint32_t function,
                             const std::array<std::uint32_t, most_objects + 1>& sections);

/// Calls that were not recorded, because their stack is not the thread's own (coroutines with
/// stacks), and threads that had no place here.
struct NotRecorded {
  std::uint64_t foreign_stack, threads;
};
NotRecorded not_recorded();

/// Forgets in a child of fork() that its thread has a log.
void after_fork_in_child();

}  // namespace wirecost::function
