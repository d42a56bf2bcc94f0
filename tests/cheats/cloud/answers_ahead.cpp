// SPDX-License-Identifier: Apache-2.0
// Answers all clouds before the clock starts.
#include "cheats.hpp"

namespace wirecost::bench::cloud {
namespace {

class AnswersAhead final : public AroundFilter {
 public:
  void load(const Input& input) override {
    AroundFilter::load(input);
    for (std::size_t i = 0; i < input.clouds.size(); ++i) {
      filter_->call(i);
      answers_.push_back(filter_->answer());
    }
  }
  void call(std::size_t cloud) override { last_ = cloud; }
  std::vector<std::byte> answer() const override { return answers_[last_]; }

 private:
  std::vector<std::vector<std::byte>> answers_;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<Contender> make_answers_ahead() { return std::make_unique<AnswersAhead>(); }

}  // namespace wirecost::bench::cloud
