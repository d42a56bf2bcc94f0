// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "wirecost/heap/size_classes.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace wirecost::heap {

char* reserve(std::size_t bytes) {
  void* mapped = mmap(nullptr, bytes + huge_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(mapped);
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(begin) % huge_bytes;
  if (skipped != 0) munmap(begin, skipped);
  munmap(begin + skipped + bytes, huge_bytes - skipped);
  return begin + skipped;
}

bool populate(char* begin, std::size_t bytes) {
  for (;;) {
    if (madvise(begin, bytes, MADV_POPULATE_WRITE) == 0) return true;
    if (errno == EINTR || errno == EAGAIN) continue;
    if (errno != EINVAL) return false;
    break;
  }
  // Kernels before 5.14. Adding nothing is atomic: other threads may use the page meanwhile.
  for (std::size_t at = 0; at < bytes; at += page_bytes) {
    __atomic_fetch_add(begin + at, 0, __ATOMIC_RELAXED);
  }
  return true;
}

Touched make_usable(char* begin, std::size_t bytes, Touch how) {
  if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) return Touched::no;
  if (how.huge) madvise(begin, bytes, MADV_HUGEPAGE);
  if (!populate(begin, bytes)) {
    madvise(begin, bytes, MADV_DONTNEED);
    mprotect(begin, bytes, PROT_NONE);
    return Touched::no;
  }
  if (how.lock && mlock(begin, bytes) != 0) return Touched::not_locked;
  return Touched::yes;
}

std::size_t address_space_bytes() {
  struct sysinfo machine{};
  std::size_t wanted = std::size_t{16} << 30;
  if (sysinfo(&machine) == 0) {
    const std::size_t twice = 2 * std::size_t{machine.totalram} * machine.mem_unit;
    if (twice > wanted) wanted = twice;
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur / 2 < wanted) wanted = limit.rlim_cur / 2;
  return wanted / huge_bytes * huge_bytes;
}

std::size_t available_bytes() {
  char text[512];
  const int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) return SIZE_MAX;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return SIZE_MAX;
  text[length] = '\0';
  const char* at = strstr(text, "MemAvailable:");
  if (at == nullptr) return SIZE_MAX;
  std::size_t kibibytes = 0;
  for (at += 13; *at == ' '; ++at) {
  }
  for (; *at >= '0' && *at <= '9'; ++at)
    kibibytes = kibibytes * 10 + static_cast<std::size_t>(*at - '0');
  return kibibytes * 1024;
}

}  // namespace wirecost::heap
