// SPDX-License-Identifier: Apache-2.0
// With AddressSanitizer, GCC's and Clang's, no block is kept for the next message: whoever still
// reads what a string gave back is found.
#include <sanitizer/asan_interface.h>

#include <cstdio>

#include "wirecost/support_holders.hpp"

int main() {
  const char* given_back = nullptr;
  {
    const wirecost::String text("a text that is longer than sixteen bytes");
    given_back = text.data();
    if (__asan_address_is_poisoned(given_back) != 0) return 2;
  }
  if (__asan_address_is_poisoned(given_back) != 0) return 0;
  std::puts("the block of a string that has ended can still be read");
  return 1;
}
