// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <pthread.h>

#include <string>

namespace wirecost::tracetools {
namespace {

std::uint32_t section(const std::string& name) {
  return name.empty() ? 0 : wirecost_probe_section(name.c_str());
}

}  // namespace

SharedGraph::SharedGraph() {
  // A child that forked while another thread changed the graph must find it whole and not locked.
  pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                 [] { get().mutex_.unlock(); });
}

SharedGraph& SharedGraph::get() {
  // Never destroyed: other threads may record while the process exits.
  static SharedGraph& shared = *new SharedGraph;
  return shared;
}

SharedQueues::SharedQueues() {
  pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                 [] { get().mutex_.unlock(); });
}

SharedQueues& SharedQueues::get() {
  static SharedQueues& shared = *new SharedQueues;
  return shared;
}

std::uint32_t ProbeRecorder::find_idle() {
  return section(SharedGraph::get().ask([](const Graph& graph) { return graph.idle_name(); }));
}

CallbackSections ProbeRecorder::find_callback(Handle callback) {
  const CallbackNames names =
      SharedGraph::get().ask([&](const Graph& graph) { return graph.names_of(callback); });
  return {section(names.callback), section(names.wait), section(names.queued)};
}

std::uint32_t ProbeRecorder::find_transport(Handle rmw) {
  return section(
      SharedGraph::get().ask([&](const Graph& graph) { return graph.transport_name_of(rmw); }));
}

std::uint32_t ProbeRecorder::find_publisher(Handle publisher, Handle rmw) {
  return section(SharedGraph::get().ask(
      [&](const Graph& graph) { return graph.publish_name_of(publisher, rmw); }));
}

}  // namespace wirecost::tracetools
