// SPDX-License-Identifier: Apache-2.0
// Signal handlers that system calls are not reported of.
#pragma once

#include <csignal>
#include <cstddef>

namespace wirecost::hooks {

using Handler = void (*)(int, siginfo_t*, void*);

/// Installs a handler for a signal that nobody has taken. It returns by an instruction of
/// `returning_code`, and may be interrupted by itself.
bool install(int signal, Handler handler);

struct Code {
  std::size_t begin, size;
};
Code returning_code();

}  // namespace wirecost::hooks
