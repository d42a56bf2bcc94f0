// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>

#include <string>

namespace wirecost::probe {

/// Fills type and config for a generic name or, where libpfm4 is installed, for one of its names.
/// False where nobody knows the name.
bool encode_event(const std::string& name, perf_event_attr& attributes);

}  // namespace wirecost::probe
