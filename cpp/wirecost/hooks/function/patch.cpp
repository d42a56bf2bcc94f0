// SPDX-License-Identifier: Apache-2.0
#include "patch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "code.hpp"

namespace wirecost::function {
namespace {

/// Less than a jump reaches: an operand may point beyond the object's other end.
constexpr std::uintptr_t reach = 0x7000'0000;
constexpr std::uintptr_t lowest = 0x1'0000;

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); }

std::vector<std::pair<std::uintptr_t, std::uintptr_t>> mapped() {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen("/proc/self/maps", "re"),
                                                                &std::fclose);
  std::array<char, 512> line{};
  unsigned long begin = 0;
  unsigned long end = 0;
  bool starts = true;
  while (file != nullptr && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    if (starts && std::sscanf(line.data(), "%lx-%lx", &begin, &end) == 2)
      ranges.emplace_back(begin, end);
    starts = std::strchr(line.data(), '\n') != nullptr;
  }
  return ranges;
}

}  // namespace

bool Arena::reserve(std::uintptr_t low, std::uintptr_t high, std::size_t bytes) {
  bytes_ = (bytes + page_size() - 1) / page_size() * page_size();
  const auto ranges = mapped();
  // Below the object first: above the program is where its heap grows.
  std::vector<std::uintptr_t> free;
  std::uintptr_t end_before = lowest;
  for (const auto& [begin, end] : ranges) {
    if (begin >= end_before && begin - end_before >= bytes_) {
      free.push_back(begin - bytes_);
      free.push_back(end_before);
    }
    end_before = std::max<std::uintptr_t>(end_before, end);
  }
  std::ranges::stable_sort(free, {}, [&](std::uintptr_t at) {
    return std::pair(at > high, at > high ? at - high : low - at);
  });
  for (const std::uintptr_t at : free) {
    const bool near = at > high ? at + bytes_ - low < reach : high - at < reach;
    if (!near) continue;
    void* made = mmap(reinterpret_cast<void*>(at), bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == MAP_FAILED) continue;
    begin_ = static_cast<std::byte*>(made);
    return true;
  }
  return false;
}

bool Arena::finish() const {
  return begin_ == nullptr || mprotect(begin_, bytes_, PROT_READ | PROT_EXEC) == 0;
}

std::string prepare(Patch& patch, Arena& arena, void (*reached)()) {
  if (arena.left() < thunk_bytes) return "no memory is free near it";
  std::byte* const thunk = arena.next();
  std::vector<std::byte> code;
  const auto put = [&code](std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes) code.push_back(static_cast<std::byte>(byte));
  };
  const auto put_bytes = [&code](const void* from, std::size_t bytes) {
    const auto* begin = static_cast<const std::byte*>(from);
    code.insert(code.end(), begin, begin + bytes);
  };
  put({0x68});  // push the number
  put_bytes(&patch.number, sizeof(patch.number));
  put({0xff, 0x15, 0x07, 0x00, 0x00, 0x00});        // call what stands behind the next two
  put({0x48, 0x8d, 0x64, 0x24, 0x08, 0xeb, 0x08});  // lea 8(%rsp), %rsp; jmp over the address
  put_bytes(static_cast<const void*>(&reached), sizeof(reached));
  const auto* bytes = reinterpret_cast<const std::byte*>(patch.function);
  const auto rest = moved({bytes, patch.first_bytes + 16}, patch.function, patch.first_bytes,
                          reinterpret_cast<std::uintptr_t>(thunk) + code.size());
  if (rest.empty()) return "its first instructions work only where they are";
  code.insert(code.end(), rest.begin(), rest.end());
  if (code.size() > thunk_bytes) return "its first instructions are too long";
  std::ranges::copy(code, thunk);
  arena.take(code.size());
  patch.thunk = thunk;
  return {};
}

std::string apply(const Patch& patch) {
  const std::uintptr_t page = patch.function / page_size() * page_size();
  const std::uintptr_t end = patch.function + 2 * sizeof(std::uint64_t);
  auto* const from = reinterpret_cast<void*>(page);
  if (mprotect(from, end - page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return std::string("its memory cannot be written: ") + std::strerror(errno);
  const auto offset = static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(patch.thunk) -
                                                (patch.function + jump_bytes));
  std::array<std::byte, jump_bytes> jump{std::byte{0xe9}};
  std::memcpy(jump.data() + 1, &offset, sizeof(offset));
  auto* const entry = reinterpret_cast<std::byte*>(patch.function);
  if (patch.function % sizeof(std::uint64_t) <= sizeof(std::uint64_t) - jump_bytes) {
    // In one store: whoever calls it meanwhile sees all or nothing.
    auto* const word = reinterpret_cast<std::uint64_t*>(patch.function / 8 * 8);
    std::uint64_t value = *word;
    std::memcpy(reinterpret_cast<std::byte*>(&value) + patch.function % 8, jump.data(),
                jump.size());
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
  } else {
    std::ranges::copy(jump, entry);
  }
  mprotect(from, end - page, PROT_READ | PROT_EXEC);
  return {};
}

}  // namespace wirecost::function
