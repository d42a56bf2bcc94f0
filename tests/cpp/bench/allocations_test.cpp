// SPDX-License-Identifier: Apache-2.0
// Every way to ask for memory counts once, whoever asks, and what is given is the allocator's own.
#include "bench/allocations.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace {

using wirecost::bench::allocations;

/// How many allocations `make` counts as; frees what it made.
template <class Make>
std::uint64_t counted(Make make) {
  const std::uint64_t before = allocations();
  void* const made = make();
  const std::uint64_t count = allocations() - before;
  EXPECT_NE(made, nullptr);
  std::memset(made, 0xA5, 8);
  std::free(made);
  return count;
}

TEST(Allocations, AreCountedHoweverTheyAreMade) {
  EXPECT_EQ(counted([] { return std::malloc(100); }), 1U);
  EXPECT_EQ(counted([] { return std::calloc(10, 10); }), 1U);
  EXPECT_EQ(counted([] { return std::realloc(nullptr, 100); }), 1U);
  EXPECT_EQ(counted([] { return std::aligned_alloc(64, 128); }), 1U);
  EXPECT_EQ(counted([] { return memalign(64, 100); }), 1U);
  EXPECT_EQ(counted([] {
              void* made = nullptr;
              EXPECT_EQ(posix_memalign(&made, 64, 100), 0);
              return made;
            }),
            1U);
  EXPECT_EQ(counted([] { return operator new(100); }), 1U);
  EXPECT_EQ(counted([] { return operator new[](100, std::nothrow); }), 1U);
  EXPECT_EQ(counted([] { return operator new(100, std::align_val_t{64}); }), 1U);
}

TEST(Allocations, OfLibrariesAreCounted) {
  EXPECT_EQ(counted([] { return strdup("a text of the C library"); }), 1U);
}

TEST(Allocations, AreAligned) {
  struct alignas(128) Wide {
    char bytes[128];
  };
  const auto one = std::make_unique<Wide>();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.get()) % 128, 0U);
  const std::vector<Wide> many(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(many.data()) % 128, 0U);
}

TEST(Allocations, KeepWhatTheyHeldWhenTheyGrow) {
  auto* text = static_cast<char*>(std::malloc(5));
  std::memcpy(text, "text", 5);
  text = static_cast<char*>(std::realloc(text, 10'000));
  EXPECT_STREQ(text, "text");
  std::free(text);
}

TEST(Allocations, AreThoseOfAPreloadedAllocator) {
  Dl_info found{};
  ASSERT_NE(dladdr(dlsym(RTLD_NEXT, "malloc"), &found), 0);
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string_view file = found.dli_fname;
  if (preloaded != nullptr && *preloaded != '\0') {
    EXPECT_EQ(file, preloaded);
  } else {
    EXPECT_NE(file.find("libc.so"), std::string_view::npos) << file;
  }
}

}  // namespace
