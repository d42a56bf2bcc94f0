// SPDX-License-Identifier: Apache-2.0
// Whether a program has probes of its own, so that hooks need not add others.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace wirecost::hooks {

/// For dl_iterate_phdr: 1 where an object needs the probe library and is none of the hooks.
inline int needs_probe(dl_phdr_info* object, std::size_t, void*) {
  constexpr std::string_view probe_library = "libwirecost-probe.so";
  constexpr std::string_view hook_library = "libwirecost-hook-";
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

/// Whether hooks were asked to leave alone a program that has probes, and this is one.
inline bool leave_alone() {
  return std::getenv("WIRECOST_HOOK_UNLESS_PROBED") != nullptr &&
         dl_iterate_phdr(needs_probe, nullptr) != 0;
}

}  // namespace wirecost::hooks
