// SPDX-License-Identifier: Apache-2.0
// Blocks whose content shows whether anyone else wrote into them, and the loader check.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>

namespace heap_tests {

/// Ends the program unless `malloc` is the preloaded one: without it these tests prove nothing.
inline void require_preloaded_heap() {
  Dl_info info{};
  if (dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) != 0 &&
      std::strstr(info.dli_fname, "libwirecost-heap") != nullptr) {
    return;
  }
  std::fprintf(stderr, "malloc comes from %s; run with LD_PRELOAD=libwirecost-heap.so\n",
               info.dli_fname);
  std::exit(2);
}

/// A block filled with a pattern of its address, checked when it is given back.
class Block {
 public:
  Block() = default;
  explicit Block(std::size_t bytes) : Block(std::malloc(bytes), bytes) {}
  Block(void* data, std::size_t bytes) : data_(static_cast<unsigned char*>(data)), bytes_(bytes) {
    if (data_ == nullptr || reinterpret_cast<std::uintptr_t>(data_) % 16 != 0) fail("address");
    fill();
  }
  Block(Block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), key_(other.key_) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(key_, other.key_);
    return *this;
  }
  ~Block() {
    if (data_ == nullptr) return;
    check(bytes_);
    std::free(data_);
  }

  const void* data() const { return data_; }

  void resize(std::size_t bytes) {
    auto* moved = static_cast<unsigned char*>(std::realloc(data_, bytes));
    if (moved == nullptr) fail("realloc");
    data_ = moved;
    check(bytes < bytes_ ? bytes : bytes_);
    bytes_ = bytes;
    fill();
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    std::fprintf(stderr, "block %p of %zu bytes: wrong %s\n", static_cast<void*>(data_), bytes_,
                 what);
    std::abort();
  }

  /// Both ends in full, the middle by a byte a page.
  template <typename Each>
  void visit(std::size_t bytes, Each each) const {
    constexpr std::size_t edge = 256;
    for (std::size_t i = 0; i < bytes && i < edge; ++i) each(i);
    for (std::size_t i = edge; i + edge < bytes; i += 4096) each(i);
    for (std::size_t i = bytes > 2 * edge ? bytes - edge : edge; i < bytes; ++i) each(i);
  }

  unsigned char expected(std::size_t i) const { return static_cast<unsigned char>(key_ + i * 31); }

  void fill() {
    key_ = static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(data_) >> 4);
    visit(bytes_, [this](std::size_t i) { data_[i] = expected(i); });
  }

  void check(std::size_t bytes) const {
    // A shortened block has other edges, of which only the first was written in full.
    const std::size_t comparable = bytes == bytes_ || bytes < 256 ? bytes : 256;
    visit(comparable, [this](std::size_t i) {
      if (data_[i] != expected(i)) fail("content");
    });
  }

  unsigned char* data_ = nullptr;
  std::size_t bytes_ = 0;
  unsigned char key_ = 0;
};

using Random = std::mt19937_64;

/// Sizes as programs ask for them: mostly small, now and then a buffer.
inline std::size_t any_size(Random& random) {
  const auto choice = random() % 1000;
  if (choice < 900) return random() % 1024;
  if (choice < 990) return random() % 40'000;
  return random() % (1U << 20);
}

}  // namespace heap_tests
