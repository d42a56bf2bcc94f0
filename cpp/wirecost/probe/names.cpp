// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "settings.hpp"
#include "wirecost/probe.h"

namespace wirecost::probe {
namespace {

struct Shared {
  std::mutex mutex;
  std::map<std::string, std::uint32_t> identifiers;
  std::map<std::uint32_t, std::string> names;
  std::vector<LogFile*> logs;
};

/// Never destroyed: other threads may record while the process exits.
Shared& shared() {
  static Shared& all = *new Shared;
  return all;
}

bool in_header(std::uint32_t id) {
  return id <= WIRECOST_PROBE_LAST_CHOSEN_ID || id <= WIRECOST_PROBE_LAST_CHOSEN_ID + max_names;
}

void write_name(LogFile& log, std::uint32_t id, const std::string& name) {
  if (!log.name(id, name) && in_header(id))
    say_once(topic_names, "more than 256 section names; further sections show their numbers");
}

void add(Shared& all, std::uint32_t id, const std::string& name) {
  // A program that makes up names without end must not fill the memory.
  if (all.names.size() < max_sections && all.names.emplace(id, name).second)
    for (LogFile* log : all.logs) write_name(*log, id, name);
}

}  // namespace

std::uint32_t identifier_of(const std::string& whole_name, bool& added) {
  const std::string name = whole_name.substr(0, longest_name);
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto known = all.identifiers.find(name);
  if (known != all.identifiers.end()) return known->second;
  if (all.identifiers.size() >= max_sections) {
    say_once(topic_names, "more than 4096 section names; the others are recorded as one section");
    return WIRECOST_PROBE_LAST_CHOSEN_ID + 1 + max_sections;
  }
  const auto id =
      static_cast<std::uint32_t>(WIRECOST_PROBE_LAST_CHOSEN_ID + 1 + all.identifiers.size());
  all.identifiers.emplace(name, id);
  add(all, id, name);
  added = true;
  return id;
}

const char* name_of(std::uint32_t id) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto known = all.names.find(id);
  return known == all.names.end() ? nullptr : known->second.c_str();
}

bool needs_records(std::uint32_t id, const std::string& name) {
  return name.size() >= name_bytes || !in_header(id);
}

std::vector<std::pair<std::uint32_t, std::string>> names_for_records() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  std::vector<std::pair<std::uint32_t, std::string>> found;
  for (const auto& [id, name] : all.names)
    if (needs_records(id, name)) found.emplace_back(id, name);
  return found;
}

void set_name(std::uint32_t id, const std::string& name) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  add(all, id, name);
}

void join(LogFile& log) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.logs.push_back(&log);
  for (const auto& [id, name] : all.names) write_name(log, id, name);
}

void leave(LogFile& log) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  std::erase(all.logs, &log);
}

void lock_for_fork() {
  shared().mutex.lock();
  MappedRange::lock_for_fork();
}
void unlock_after_fork() {
  MappedRange::unlock_after_fork();
  shared().mutex.unlock();
}
void forget_logs_after_fork() {
  shared().logs.clear();
  unlock_after_fork();
}

}  // namespace wirecost::probe
