// SPDX-License-Identifier: Apache-2.0
#include "wirecost/heap/memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
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

namespace {

/// Far from where the kernel puts programs, libraries and stacks, and from the addresses that
/// runtimes choose for their heaps.
constexpr std::uintptr_t usual_place = 0x6800'0000'0000;
constexpr std::uint64_t places = std::uint64_t{1} << 20;

/// The memory at `begin`, or null. A wish, not MAP_FIXED: that would replace what is there, and
/// sandboxes forbid MAP_FIXED_NOREPLACE.
char* map_at(char* begin, std::size_t bytes, int protection, int flags) {
  void* mapped =
      mmap(begin, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (mapped == begin) return begin;
  if (mapped != MAP_FAILED) munmap(mapped, bytes);
  return nullptr;
}

/// The start of a small file of /proc; empty if there is none.
template <std::size_t size>
void read_file(const char* path, char (&text)[size]) {
  text[0] = '\0';
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t length = read(file, text, size - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
}

/// The next number of a text, which moves on behind it.
std::size_t number_at(const char*& at) {
  while (*at == ' ') ++at;
  std::size_t value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<std::size_t>(*at - '0');
  return value;
}

std::size_t left_of(int resource, std::size_t used_pages) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  const std::size_t used = used_pages * page_bytes;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

bool is_limited(int resource) { return left_of(resource, 0) != SIZE_MAX; }

}  // namespace

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

Place find_place(std::size_t bytes) {
  std::uint64_t random = 0;
  getrandom(&random, sizeof random, GRND_NONBLOCK);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that is chosen
  char* const wanted = reinterpret_cast<char*>(usual_place + random % places * huge_bytes);
  // Both ends: systems have address spaces of 39 bits, too.
  bool is_free = true;
  for (char* end : {wanted, wanted + bytes - huge_bytes}) {
    is_free = is_free && map_at(end, huge_bytes, PROT_NONE, 0) != nullptr;
    if (is_free) munmap(end, huge_bytes);
  }
  if (is_free) return {wanted, false};
  if (bytes > mappable_bytes() / 2) return {};
  return {reserve(bytes), true};
}

bool populate(char* begin, std::size_t bytes) {
  for (;;) {
    if (madvise(begin, bytes, MADV_POPULATE_WRITE) == 0) return true;
    if (errno == EINTR || errno == EAGAIN) continue;
    // Kernels before 5.14 do not know it, and sandboxes forbid it.
    if (errno != EINVAL && errno != EPERM && errno != EACCES && errno != ENOSYS) return false;
    break;
  }
  // Adding nothing is atomic: other threads may use the page meanwhile.
  for (std::size_t at = 0; at < bytes; at += page_bytes) {
    __atomic_fetch_add(begin + at, 0, __ATOMIC_RELAXED);
  }
  return true;
}

Touched make_usable(char* begin, std::size_t bytes, Touch how, bool reserved) {
  if (map_at(begin, bytes, PROT_READ | PROT_WRITE, reserved ? MAP_FIXED : 0) == nullptr) {
    return Touched::no;
  }
  if (how.huge) madvise(begin, bytes, MADV_HUGEPAGE);
  if (!populate(begin, bytes)) {
    make_unusable(begin, bytes, reserved);
    return Touched::no;
  }
  return how.lock && !lock_in_memory(begin, bytes) ? Touched::not_locked : Touched::yes;
}

void make_unusable(char* begin, std::size_t bytes, bool reserved) {
  if (reserved) {
    map_at(begin, bytes, PROT_NONE, MAP_FIXED);
  } else {
    munmap(begin, bytes);
  }
}

bool lock_in_memory(char* begin, std::size_t bytes) { return mlock(begin, bytes) == 0; }

std::size_t address_space_bytes() {
  struct sysinfo machine{};
  std::size_t wanted = std::size_t{16} << 30;
  if (sysinfo(&machine) == 0) {
    const std::size_t twice = 2 * std::size_t{machine.totalram} * machine.mem_unit;
    if (twice > wanted) wanted = twice;
  }
  if (wanted > most_bytes) wanted = most_bytes;
  return wanted / huge_bytes * huge_bytes;
}

std::size_t mappable_bytes() {
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return SIZE_MAX;
  char text[256];
  read_file("/proc/self/statm", text);
  const char* at = text;
  const std::size_t mapped = number_at(at);
  for (int skipped = 0; skipped < 4; ++skipped) number_at(at);
  const std::size_t by_space = left_of(RLIMIT_AS, mapped);
  const std::size_t by_data = left_of(RLIMIT_DATA, number_at(at));
  return by_space < by_data ? by_space : by_data;
}

std::size_t available_bytes() {
  char text[512];
  read_file("/proc/meminfo", text);
  const char* at = strstr(text, "MemAvailable:");
  if (at == nullptr) return SIZE_MAX;
  at += 13;
  return number_at(at) * 1024;
}

}  // namespace wirecost::heap
