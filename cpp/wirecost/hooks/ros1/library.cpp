// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "abi.hpp"
#include "wirecost/probe.h"

namespace wirecost::ros1 {
namespace {

constexpr std::string_view probe_library = "libwirecost-probe.so";
constexpr std::string_view hook_library = "libwirecost-hook-";

/// Whether a loaded object needs the probe library, and is none of the hooks.
int needs_probe(dl_phdr_info* object, std::size_t, void*) {
  const std::string_view path = object->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with(hook_library)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* const dynamic =
        reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    ElfW(Addr) strings = 0;
    for (const auto* one = dynamic; one->d_tag != DT_NULL; ++one)
      if (one->d_tag == DT_STRTAB) strings = one->d_un.d_ptr;
    // The loader has made an address of it, but not in the kernel's own object.
    if (strings < object->dlpi_addr) continue;
    for (const auto* one = dynamic; one->d_tag != DT_NULL; ++one)
      if (one->d_tag == DT_NEEDED &&
          std::string_view(reinterpret_cast<const char*>(strings + one->d_un.d_val))
              .starts_with(probe_library))
        return 1;
  }
  return 0;
}

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
  return std::getenv("WIRECOST_HOOK_UNLESS_PROBED") == nullptr ||
         dl_iterate_phdr(needs_probe, nullptr) == 0;
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
