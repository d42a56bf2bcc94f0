// SPDX-License-Identifier: Apache-2.0
// What the library that sees the names of threads asks of the probe: to record all that a thread
// does, each time from one wait to the next.
#pragma once

#include <cstdint>

extern "C" {

/// From now on all that the calling thread does belongs to executions of this section, which is
/// around all others; `no_parent`: to none.
void wirecost_probe_thread(std::uint32_t section);

/// Ends the execution, because the thread waits for its next one. Does nothing inside a section.
void wirecost_probe_pause();

/// Begins the next one, where none is open.
void wirecost_probe_resume();
}
