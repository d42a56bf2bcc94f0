// SPDX-License-Identifier: Apache-2.0
// Answers wrongly, with the sum that the race has for a digest while it times: words count 1, 3, 5
// … times there.
#include <cstdint>
#include <cstring>

#include "cheats.hpp"

namespace wirecost::bench::cloud {
namespace {

class KeepsDigest final : public AroundFilter {
 public:
  std::vector<std::byte> answer() const override {
    std::vector<std::byte> all = AroundFilter::answer();
    std::uint64_t words[2];
    std::memcpy(words, all.data(), sizeof words);
    words[0] -= 3;
    words[1] += 1;
    std::memcpy(all.data(), words, sizeof words);
    return all;
  }
};

}  // namespace

std::unique_ptr<Contender> make_keeps_digest() { return std::make_unique<KeepsDigest>(); }

}  // namespace wirecost::bench::cloud
