// SPDX-License-Identifier: Apache-2.0
// What the middleware does for a message: sending it, which serializes it, and giving it out, which
// deserializes it. Each is a section where processor time is counted; no tracepoint has their ends.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

#include "export.hpp"
#include "recorder.hpp"
#include "wirecost/hooks/following.hpp"
#include "wirecost/hooks/own_probes.hpp"

namespace {

using namespace wirecost::tracetools;

/// Whether the program is recorded with processor time among its counters.
bool is_counted() {
  const char* const asked = std::getenv("WIRECOST_PROBE_COUNTERS");
  return asked != nullptr &&
         ("," + std::string(asked) + ",").find(",processor-ns,") != std::string::npos;
}

bool recording() {
  static const bool decided =
      wirecost_probe_enabled() != 0 && !wirecost::hooks::leave_alone() && is_counted();
  return decided;
}

thread_local constinit Cache<std::uint32_t> sends, takes;

std::uint32_t send_of(Handle rmw) {
  return sends.get(rmw, [&] {
    const std::string name =
        SharedGraph::get().ask([&](const Graph& graph) { return graph.send_name_of(rmw); });
    return wirecost_probe_section(name.c_str());
  });
}

std::uint32_t take_of(Handle rmw) {
  return takes.get(rmw, [&] {
    const std::string name =
        SharedGraph::get().ask([&](const Graph& graph) { return graph.take_name_of(rmw); });
    return wirecost_probe_section(name.c_str());
  });
}

/// From here to the end of its scope, however it is left.
class Section {
 public:
  /// `handle`: of a publisher or a subscription in the middleware.
  Section(std::uint32_t (*section_of)(Handle), const void* handle) {
    if (!recording()) return;
    try {
      id_ = section_of(reinterpret_cast<Handle>(handle));
    } catch (const std::exception&) {
      return;
    }
    ProbeRecorder::begin(id_, 0);
  }
  ~Section() {
    if (id_ != 0) ProbeRecorder::end(id_, 0);
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  std::uint32_t id_ = 0;
};

}  // namespace

extern "C" {

#define WIRECOST_MIDDLEWARE(name, section_of, parameters, arguments) \
  WIRECOST_EXPORT int name parameters {                              \
    constexpr int error = 1;                                         \
    static constinit wirecost::hooks::Following following(#name);    \
    void* const next = following.get();                              \
    if (next == nullptr) return error;                               \
    const Section section(section_of, handle);                       \
    return reinterpret_cast<int(*) parameters>(next) arguments;      \
  }

#define WIRECOST_SEND(name)                                                                 \
  WIRECOST_MIDDLEWARE(name, send_of, (const void* handle, void* message, void* allocation), \
                      (handle, message, allocation))
#define WIRECOST_TAKE(name)                                                               \
  WIRECOST_MIDDLEWARE(name, take_of,                                                      \
                      (const void* handle, void* message, bool* taken, void* allocation), \
                      (handle, message, taken, allocation))
#define WIRECOST_TAKE_WITH_INFO(name)                                                 \
  WIRECOST_MIDDLEWARE(                                                                \
      name, take_of,                                                                  \
      (const void* handle, void* message, bool* taken, void* info, void* allocation), \
      (handle, message, taken, info, allocation))

WIRECOST_SEND(rmw_publish)
WIRECOST_SEND(rmw_publish_serialized_message)
WIRECOST_SEND(rmw_publish_loaned_message)
WIRECOST_TAKE(rmw_take)
WIRECOST_TAKE(rmw_take_serialized_message)
WIRECOST_TAKE(rmw_take_loaned_message)
WIRECOST_TAKE_WITH_INFO(rmw_take_with_info)
WIRECOST_TAKE_WITH_INFO(rmw_take_serialized_message_with_info)
WIRECOST_TAKE_WITH_INFO(rmw_take_loaned_message_with_info)
}
