// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wirecost::hooks {

/// Whether the kernel lets the calling thread's system calls pass, or reports them.
inline constexpr char open_gate = 0, closed_gate = 1;
extern thread_local volatile char gate;

}  // namespace wirecost::hooks
