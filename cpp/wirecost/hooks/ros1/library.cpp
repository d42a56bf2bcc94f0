// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "abi.hpp"
#include "wirecost/hooks/own_probes.hpp"
#include "wirecost/probe.h"

namespace wirecost::ros1 {
namespace {

bool decide() {
  if (wirecost_probe_enabled() == 0) return false;
  Dl_info info{};
  void* const subscribe = following(WIRECOST_ROS_SUBSCRIBE);
  if (subscribe == nullptr || dladdr(subscribe, &info) == 0) return false;
  char path[PATH_MAX] = "";
  const bool found = realpath(info.dli_fname, path) != nullptr;
  const std::string_view whole = path;
  if (!found || whole.substr(whole.rfind('/') + 1) != known_library) {
    std::fprintf(stderr,
                 "wirecost: %s: not the roscpp that is known (%s); callbacks are not recorded\n",
                 info.dli_fname, known_library);
    return false;
  }
  return !hooks::leave_alone();
}

}  // namespace

void* following(const char* mangled_name) { return dlsym(RTLD_NEXT, mangled_name); }

bool recording() {
  static const bool decided = decide();
  return decided;
}

const std::string& node_name() {
  static auto* const get =
      reinterpret_cast<const std::string& (*)()>(following(WIRECOST_ROS_NODE_NAME));
  static const std::string none = "?";
  return get == nullptr ? none : get();
}

}  // namespace wirecost::ros1
