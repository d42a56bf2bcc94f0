// SPDX-License-Identifier: Apache-2.0
// The tracepoints as rclcpp calls them, in the form of one version of ROS 2: up to Iron the message
// alone goes with rmw_publish, and only later ones ask first whether anybody records.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include "wirecost/hooks/tracetools/tracepoints.h"

extern "C" {
#define DECLARE(name, parameters, arguments) \
  void ros_trace_##name parameters;          \
  void ros_trace_do_##name parameters;       \
  bool ros_trace_enabled_##name(void);
WIRECOST_TRACEPOINTS(DECLARE)
#undef DECLARE
bool ros_trace_compile_status(void);
}

namespace tracetools {
namespace detail {

char* demangle_symbol(const char* mangled);
#ifdef HUMBLE
char* get_symbol_funcptr(void* function);
#else
char* get_symbol_funcptr(const void* function);
#endif

}  // namespace detail

template <class Result, class... Arguments>
char* symbol_of(const std::function<Result(Arguments...)>& function) {
  using Pointer = Result (*)(Arguments...);
  if (const Pointer* target = function.template target<Pointer>())
    return detail::get_symbol_funcptr(reinterpret_cast<void*>(*target));
  return detail::demangle_symbol(function.target_type().name());
}

}  // namespace tracetools
