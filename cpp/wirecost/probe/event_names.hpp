// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>

#include <string>

namespace wirecost::probe {

/// Fills type and config for a generic name or, where libpfm4 is installed, for one of its names.
/// False where nobody knows the name.
bool encode_event(const std::string& name, perf_event_attr& attributes);

/// In a child of fork(), where nobody goes on to load it: its names are not known there.
void give_up_libpfm_after_fork();

}  // namespace wirecost::probe
