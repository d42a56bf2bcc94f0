// SPDX-License-Identifier: Apache-2.0
#include "patch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "code.hpp"

namespace wirecost::function {
namespace {

/// Less than a jump reaches: an operand may point beyond the object's other end.
constexpr std::uintptr_t reach = 0x7000'0000;
constexpr std::uintptr_t lowest = 0x1'0000;

int protection_at(std::uintptr_t address, const std::vector<Mapping>& memory) {
  const auto found = std::ranges::find_if(
      memory, [=](const Mapping& one) { return one.begin <= address && address < one.end; });
  return found == memory.end() ? PROT_NONE : found->protection;
}

/// The pages of a few bytes of code, which can be written while this lives.
class Writable {
 public:
  Writable(std::uintptr_t begin, std::uintptr_t end, const std::vector<Mapping>& memory) {
    for (std::uintptr_t at = begin / page_size() * page_size(); at < end; at += page_size()) {
      const int before = protection_at(at, memory);
      if (before == PROT_NONE) error_ = EFAULT;
      if (error_ == 0 && !set(at, before | PROT_WRITE)) error_ = errno;
      if (error_ != 0) return;
      pages_[count_++] = {at, before};
    }
  }
  ~Writable() {
    for (std::size_t i = 0; i < count_; ++i) set(pages_[i].begin, pages_[i].protection);
  }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;

  /// 0: they can be written.
  int error() const { return error_; }

 private:
  struct Page {
    std::uintptr_t begin;
    int protection;
  };
  static bool set(std::uintptr_t page, int protection) {
    return mprotect(reinterpret_cast<void*>(page), page_size(), protection) == 0;
  }

  std::array<Page, 2> pages_{};
  std::size_t count_ = 0;
  int error_ = 0;
};

}  // namespace

bool Arena::reserve(std::uintptr_t low, std::uintptr_t high, std::size_t bytes) {
  give_back();
  bytes_ = (bytes + page_size() - 1) / page_size() * page_size();
  // Below the object first: above the program is where its heap grows.
  std::vector<std::uintptr_t> free;
  std::uintptr_t end_before = lowest;
  for (const auto& [begin, end, protection] : memory_map()) {
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
    // A kernel before 4.17 does not know the flag, and takes the address for a wish.
    if (reinterpret_cast<std::uintptr_t>(made) != at) {
      munmap(made, bytes_);
      continue;
    }
    begin_ = static_cast<std::byte*>(made);
    return true;
  }
  return false;
}

void Arena::give_back() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
  begin_ = nullptr;
  bytes_ = used_ = 0;
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

std::string put_jump(const Patch& patch, const std::vector<Mapping>& memory) {
  const std::uintptr_t word = patch.function / sizeof(std::uint64_t) * sizeof(std::uint64_t);
  const bool in_word = patch.function + jump_bytes <= word + sizeof(std::uint64_t);
  const Writable writable(patch.function, patch.function + jump_bytes, memory);
  if (writable.error() != 0)
    return std::string("its memory cannot be written: ") + std::strerror(writable.error());
  const auto offset = static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(patch.thunk) -
                                                (patch.function + jump_bytes));
  std::array<std::byte, jump_bytes> jump{std::byte{0xe9}};
  std::memcpy(jump.data() + 1, &offset, sizeof(offset));
  if (in_word) {
    // In one store: whoever calls it meanwhile sees all or nothing.
    auto* const place = reinterpret_cast<std::uint64_t*>(word);
    std::uint64_t value = *place;
    std::memcpy(reinterpret_cast<std::byte*>(&value) + (patch.function - word), jump.data(),
                jump.size());
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);
  } else {
    std::ranges::copy(jump, reinterpret_cast<std::byte*>(patch.function));
  }
  return {};
}

}  // namespace wirecost::function
