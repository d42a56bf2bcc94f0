// SPDX-License-Identifier: Apache-2.0
// The calls of pmu_analyzer, recorded by the probe: a program switches by including this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "wirecost/probe.h"

namespace pmu_analyzer {

namespace detail {

struct Session {
  std::uint32_t id = 0;
  std::uint64_t loops = 0;
};

/// Every thread counts its own loops, as it has its own log.
inline Session& session(const std::string& name) {
  thread_local std::map<std::string, Session> sessions;
  const auto [found, added] = sessions.try_emplace(name);
  if (added) found->second.id = wirecost_probe_section(name.c_str());
  return found->second;
}

}  // namespace detail

inline void PMU_INIT() { wirecost_probe_prepare_thread(); }
inline void PMU_TRACE_START([[maybe_unused]] int trace_id) {
  wirecost_probe_begin(static_cast<std::uint32_t>(trace_id), WIRECOST_PROBE_COUNT_LOOPS);
}
inline void PMU_TRACE_END([[maybe_unused]] int trace_id) {
  wirecost_probe_end(static_cast<std::uint32_t>(trace_id), 0);
}
inline void PMU_CLOSE() {}

inline void ELAPSED_TIME_INIT(const std::string& session_name) {
  wirecost_probe_prepare_thread();
  detail::session(session_name);
}
inline void ELAPSED_TIME_TIMESTAMP(const std::string& session_name, [[maybe_unused]] int part_idx,
                                   bool new_loop, [[maybe_unused]] long long data) {
  if (!wirecost_probe_enabled()) return;
  detail::Session& session = detail::session(session_name);
  if (new_loop) ++session.loops;
  wirecost_probe_mark(session.id, static_cast<std::uint16_t>(part_idx), session.loops, data);
}
inline void ELAPSED_TIME_CLOSE(const std::string&) {}

inline void VAR_LOG_VEC(const std::string& session_name, const std::string& variable_name,
                        const std::vector<double>& data) {
  if (!wirecost_probe_enabled()) return;
  [[maybe_unused]] const detail::Session& session = detail::session(session_name);
  [[maybe_unused]] const std::uint32_t variable = detail::session(variable_name).id;
  wirecost_probe_values(session.id, variable, session.loops, data.data(), data.size());
}
inline void VAR_LOG_SINGLE(const std::string& session_name, const std::string& variable_name,
                           const double& data) {
  if (!wirecost_probe_enabled()) return;
  [[maybe_unused]] const detail::Session& session = detail::session(session_name);
  [[maybe_unused]] const std::uint32_t variable = detail::session(variable_name).id;
  wirecost_probe_values(session.id, variable, session.loops, &data, 1);
}
inline void VAR_LOG_STRING(const std::string& session_name, const std::string& variable_name,
                           const std::vector<std::string>& data) {
  if (!wirecost_probe_enabled()) return;
  [[maybe_unused]] const detail::Session& session = detail::session(session_name);
  [[maybe_unused]] const std::uint32_t variable = detail::session(variable_name).id;
  for (std::size_t i = 0; i < data.size(); ++i)
    wirecost_probe_text(session.id, variable, static_cast<std::uint16_t>(i), session.loops,
                        data[i].c_str());
}
/// What VAR_LOG_VEC was called before.
inline void OUTPUT_VARIABLE(const std::string& session_name, const std::string& variable_name,
                            const std::vector<double>& data) {
  VAR_LOG_VEC(session_name, variable_name, data);
}

}  // namespace pmu_analyzer
