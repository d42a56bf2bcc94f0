// SPDX-License-Identifier: Apache-2.0
// What a ROS 2 program is linked to, as libtracetools.so: counts the calls that reach it.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "rclcpp_like.hpp"

namespace {

std::atomic<int> calls{0};
struct AtExit {
  ~AtExit() { std::fprintf(stderr, "libtracetools: %d calls\n", calls.load()); }
} at_exit;

}  // namespace

#define DEFINE(name, parameters, arguments)        \
  void ros_trace_##name parameters { ++calls; }    \
  void ros_trace_do_##name parameters { ++calls; } \
  bool ros_trace_enabled_##name(void) { return false; }

#pragma GCC diagnostic ignored "-Wunused-parameter"
extern "C" {
WIRECOST_TRACEPOINTS(DEFINE)
bool ros_trace_compile_status(void) { return false; }
/// Of a version that the hook does not know.
bool ros_trace_from_the_future(void) { return true; }
}

namespace tracetools::detail {

char* demangle_symbol(const char*) { return strdup("not asked for"); }
char* get_symbol_funcptr(const void*) { return demangle_symbol(nullptr); }
char* get_symbol_funcptr(void*) { return demangle_symbol(nullptr); }

}  // namespace tracetools::detail
