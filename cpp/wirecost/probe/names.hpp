// SPDX-License-Identifier: Apache-2.0
// What all threads share: the names of sections, and the logs that must hold them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "log_file.hpp"

namespace wirecost::probe {

/// The identifier of a name, the same for the same name. `added`: whether it is new.
std::uint32_t identifier_of(const std::string& name, bool& added);

/// The name of a section, which stays where it is; null where it has none.
const char* name_of(std::uint32_t id);

/// Whether a log's header has no room for the whole name.
bool needs_records(std::uint32_t id, const std::string& name);

/// Names that need records, for a new log.
std::vector<std::pair<std::uint32_t, std::string>> names_for_records();

/// Names an identifier in the logs of all threads, those to come included.
void set_name(std::uint32_t id, const std::string& name);

/// A log gets every name until it leaves.
void join(LogFile& log);
void leave(LogFile& log);

/// Around fork(): the child shares no log with its parent, and finds no lock held.
void lock_for_fork();
void unlock_after_fork();
void forget_logs_after_fork();

}  // namespace wirecost::probe
