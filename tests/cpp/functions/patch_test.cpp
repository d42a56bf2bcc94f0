// SPDX-License-Identifier: Apache-2.0
// What patching leaves of the pages that it writes, and of those beside them.
#include "wirecost/hooks/function/patch.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>

extern "C" {
long wirecost_test_reached = 0;
void wirecost_test_reach();
}
asm(R"(
        .text
        .globl wirecost_test_reach
        .type wirecost_test_reach, @function
wirecost_test_reach:
        incq wirecost_test_reached(%rip)
        ret
        .size wirecost_test_reach, . - wirecost_test_reach
)");

namespace {

using namespace wirecost::function;

constexpr int code = PROT_READ | PROT_EXEC;

/// Two pages, with `lea 1(%rdi), %rax; mov %rax, %rax; ret` somewhere in them.
class Pages {
 public:
  Pages(std::size_t offset, int first, int second) : function_(begin_ + offset) {
    constexpr std::array<unsigned char, 8> adds_one{0x48, 0x8d, 0x47, 0x01, 0x48, 0x89, 0xc0, 0xc3};
    std::ranges::copy(adds_one, function_);
    set(0, first);
    set(1, second);
  }
  ~Pages() { munmap(begin_, 2 * page_size()); }
  Pages(const Pages&) = delete;

  std::string patched() {
    const auto low = reinterpret_cast<std::uintptr_t>(begin_);
    Patch patch{
        .function = reinterpret_cast<std::uintptr_t>(function_), .first_bytes = 7, .number = 3};
    if (!arena_.reserve(low, low + 2 * page_size(), thunk_bytes)) return "no memory";
    const std::string trouble = prepare(patch, arena_, wirecost_test_reach);
    if (!trouble.empty() || !arena_.finish()) return "not prepared: " + trouble;
    return put_jump(patch, memory_map());
  }
  long call(long value) const { return reinterpret_cast<long (*)(long)>(function_)(value); }
  int protection(std::size_t page) const {
    const auto address = reinterpret_cast<std::uintptr_t>(begin_) + page * page_size();
    for (const Mapping& one : memory_map())
      if (one.begin <= address && address < one.end) return one.protection;
    return -1;
  }
  void drop_second() const { munmap(begin_ + page_size(), page_size()); }

 private:
  void set(std::size_t page, int protection) {
    mprotect(begin_ + page * page_size(), page_size(), protection);
  }

  unsigned char* begin_ = static_cast<unsigned char*>(
      mmap(nullptr, 2 * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  unsigned char* function_;
  Arena arena_;
};

void expect_recorded(Pages& pages, int first, int second) {
  const long before = wirecost_test_reached;
  EXPECT_EQ(pages.call(41), 42);
  EXPECT_EQ(wirecost_test_reached, before);
  EXPECT_EQ(pages.patched(), "");
  EXPECT_EQ(pages.call(41), 42);
  EXPECT_EQ(wirecost_test_reached, before + 1);
  EXPECT_EQ(pages.protection(0), first);
  EXPECT_EQ(pages.protection(1), second);
}

TEST(Patch, AtTheEndOfAPageLeavesTheNextOneAlone) {
  Pages pages(page_size() - 8, code, PROT_READ | PROT_WRITE);
  expect_recorded(pages, code, PROT_READ | PROT_WRITE);
}

TEST(Patch, AtTheEndOfWhatIsMapped) {
  Pages pages(page_size() - 8, code, PROT_NONE);
  pages.drop_second();
  expect_recorded(pages, code, -1);
}

TEST(Patch, OverTwoPagesLeavesEachAsItWas) {
  Pages pages(page_size() - 3, code, code | PROT_WRITE);
  expect_recorded(pages, code, code | PROT_WRITE);
}

TEST(Patch, OfWhatIsNotThereIsRefused) {
  Pages pages(page_size() - 3, code, code);
  const std::vector<Mapping> nothing;
  const Patch patch{.function = 4096, .first_bytes = 7, .number = 0};
  EXPECT_EQ(put_jump(patch, nothing), "its memory cannot be written: Bad address");
}

TEST(Arena, GivesItsMemoryBack) {
  const auto near = reinterpret_cast<std::uintptr_t>(&wirecost_test_reached);
  const auto is_mapped = [](const std::byte* at) {
    return std::ranges::any_of(memory_map(), [=](const Mapping& one) {
      const auto address = reinterpret_cast<std::uintptr_t>(at);
      return one.begin <= address && address < one.end;
    });
  };
  Arena arena;
  ASSERT_TRUE(arena.reserve(near, near + 8, 1));
  const std::byte* const at = arena.next();
  EXPECT_TRUE(is_mapped(at));
  arena.give_back();
  EXPECT_FALSE(is_mapped(at));
}

}  // namespace
