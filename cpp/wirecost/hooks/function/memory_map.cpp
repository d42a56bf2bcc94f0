// SPDX-License-Identifier: Apache-2.0
#include "memory_map.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

namespace wirecost::function {

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); }

std::vector<Mapping> memory_map() {
  std::vector<Mapping> found;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen("/proc/self/maps", "re"),
                                                                &std::fclose);
  std::array<char, 512> line{};
  unsigned long begin = 0;
  unsigned long end = 0;
  char read = '-';
  char write = '-';
  char execute = '-';
  bool starts = true;
  while (file != nullptr && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    if (starts &&
        std::sscanf(line.data(), "%lx-%lx %c%c%c", &begin, &end, &read, &write, &execute) == 5)
      found.push_back({begin, end,
                       (read == 'r' ? PROT_READ : 0) | (write == 'w' ? PROT_WRITE : 0) |
                           (execute == 'x' ? PROT_EXEC : 0)});
    starts = std::strchr(line.data(), '\n') != nullptr;
  }
  return found;
}

}  // namespace wirecost::function
