// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>

namespace wirecost::function {
namespace {

std::string program_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

int add(dl_phdr_info* info, std::size_t, void* to) {
  auto& objects = *static_cast<std::vector<Object>*>(to);
  const bool program = objects.empty();
  Object object{.path = program ? program_path() : info->dlpi_name,
                .base = info->dlpi_addr,
                .low = UINTPTR_MAX,
                .high = 0};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    object.low = std::min<std::uintptr_t>(object.low, object.base + segment.p_vaddr);
    object.high =
        std::max<std::uintptr_t>(object.high, object.base + segment.p_vaddr + segment.p_memsz);
  }
  objects.push_back(object);
  return 0;
}

}  // namespace

std::vector<Object> loaded_objects() {
  std::vector<Object> objects;
  dl_iterate_phdr(add, &objects);
  return objects;
}

}  // namespace wirecost::function
