// SPDX-License-Identifier: Apache-2.0
// Answers a cloud that it has seen before with what it answered then.
#include <map>

#include "cheats.hpp"

namespace wirecost::bench::cloud {
namespace {

class KeepsAnswers final : public AroundFilter {
 public:
  void call(std::size_t cloud) override {
    last_ = cloud;
    if (answers_.count(cloud) > 0) return;
    filter_->call(cloud);
    answers_[cloud] = filter_->answer();
  }
  std::vector<std::byte> answer() const override { return answers_.at(last_); }

 private:
  std::map<std::size_t, std::vector<std::byte>> answers_;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<Contender> make_keeps_answers() { return std::make_unique<KeepsAnswers>(); }

}  // namespace wirecost::bench::cloud
