// SPDX-License-Identifier: Apache-2.0
// Leaves out the last point of its answer.
#include "cheats.hpp"

namespace wirecost::bench::cloud {
namespace {

class DropsPoint final : public AroundFilter {
 public:
  std::vector<std::byte> answer() const override {
    constexpr std::size_t point = 16;
    std::vector<std::byte> all = AroundFilter::answer();
    all.resize(all.size() - point);
    return all;
  }
};

}  // namespace

std::unique_ptr<Contender> make_drops_point() { return std::make_unique<DropsPoint>(); }

}  // namespace wirecost::bench::cloud
