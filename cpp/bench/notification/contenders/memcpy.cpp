// SPDX-License-Identifier: Apache-2.0
// The floor of any wire: the message's bytes, copied in and out. Its fill makes them and is no
// contender's work.
#include <utility>

#include "bench/notification/contenders.hpp"

namespace wirecost::bench {
namespace {

/// Runs another contender once for the bytes, then only copies.
class Memcpy final : public Contender {
 public:
  explicit Memcpy(std::unique_ptr<Contender> maker)
      : maker_(std::move(maker)),
        about_{"memcpy", "reused", maker_->about().wire, "none", "neither; a floor"} {}

  const About& about() const override { return about_; }

  void load(std::span<const NotificationValue> batch) override {
    maker_->load(batch);
    maker_->run(Stage::fill);
    maker_->run(Stage::size);
    maker_->run(Stage::encode);
    maker_->run(Stage::decode);
    offsets_.assign(1, 0);
    bytes_.clear();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::span<const std::byte> one = maker_->encoded(i);
      bytes_.insert(bytes_.end(), one.begin(), one.end());
      offsets_.push_back(bytes_.size());
    }
    sent_.resize(bytes_.size());
    received_.resize(bytes_.size());
  }

  void run(Stage stage) override {
    if (stage == Stage::encode) copy_each(bytes_, sent_);
    if (stage == Stage::decode) copy_each(sent_, received_);
  }

  void run_total(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      copy(bytes_, sent_, i);
      copy(sent_, received_, i);
    }
  }

  std::uint64_t take_sum() override { return 0; }  // copies are not read
  std::span<const std::byte> last() const override { return {}; }
  std::span<const std::byte> encoded(std::size_t i) const override {
    return std::span(received_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  NotificationValue decoded(std::size_t i) const override { return maker_->decoded(i); }
  void poison(std::byte value) override {
    sent_.assign(sent_.size(), value);
    received_.assign(received_.size(), value);
  }

 private:
  using Bytes = std::vector<std::byte>;

  void copy(const Bytes& from, Bytes& to, std::size_t i) {
    std::memcpy(to.data() + offsets_[i], from.data() + offsets_[i], offsets_[i + 1] - offsets_[i]);
    asm volatile("" : : "r"(to.data()) : "memory");  // somebody might read it
  }
  void copy_each(const Bytes& from, Bytes& to) {
    for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) copy(from, to, i);
  }

  std::unique_ptr<Contender> maker_;
  About about_;
  std::vector<std::size_t> offsets_;
  Bytes bytes_, sent_, received_;
};

}  // namespace

void add_memcpy(Contenders& all) {
  Contenders makers;
  add_hand_written(makers);
  all.push_back(std::make_unique<Memcpy>(std::move(makers.front())));
}

}  // namespace wirecost::bench
