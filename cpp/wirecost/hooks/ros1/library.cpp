// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "abi.hpp"
#include "wirecost/hooks/following.hpp"
#include "wirecost/hooks/own_probes.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/undisturbed.hpp"

namespace wirecost::ros1 {
namespace {

bool decide() {
  if (wirecost_probe_enabled() == 0) return false;
  const probe::Undisturbed undisturbed;
  Dl_info info{};
  static constinit hooks::Following following(WIRECOST_ROS_SUBSCRIBE);
  void* const subscribe = following.get();
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

bool recording() {
  static const bool decided = decide();
  return decided;
}

const std::string& node_name() {
  static constinit hooks::Following following(WIRECOST_ROS_NODE_NAME);
  // Never destroyed: destructors of static objects may publish.
  static const std::string& none = *new std::string("?");
  void* const get = following.get();
  return get == nullptr ? none : reinterpret_cast<const std::string& (*)()>(get)();
}

}  // namespace wirecost::ros1
