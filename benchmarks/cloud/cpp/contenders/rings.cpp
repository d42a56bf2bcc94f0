// SPDX-License-Identifier: Apache-2.0
// The versions of the ring outlier filter that work on the message's bytes.
#include "cloud/cpp/contender.hpp"
#include "cloud/ring/filter.hpp"
#include "cloud/ring/in_place.hpp"

namespace wirecost::bench::cloud {
namespace {

using namespace wirecost::cloud;

constexpr std::array<Field, 10> fields{{{"x", 0, Type::f32},
                                        {"y", 4, Type::f32},
                                        {"z", 8, Type::f32},
                                        {"intensity", 12, Type::u8},
                                        {"return_type", 13, Type::u8},
                                        {"channel", 14, Type::u16},
                                        {"azimuth", 16, Type::f32},
                                        {"elevation", 20, Type::f32},
                                        {"distance", 24, Type::f32},
                                        {"time_stamp", 28, Type::u32}}};
constexpr std::array<Field, 9> older_fields{{{"x", 0, Type::f32},
                                             {"y", 4, Type::f32},
                                             {"z", 8, Type::f32},
                                             {"intensity", 12, Type::f32},
                                             {"ring", 16, Type::u16},
                                             {"azimuth", 20, Type::f32},
                                             {"distance", 24, Type::f32},
                                             {"return_type", 28, Type::u8},
                                             {"time_stamp", 32, Type::f64}}};

class OnBytes : public Contender {
 public:
  void load(const Input& input) override {
    clouds_ = input.clouds;
    options_.as_published = input.published;
    const std::span<const Field> described =
        input.older ? std::span<const Field>(older_fields) : std::span<const Field>(fields);
    const std::uint32_t step = input.older ? 40 : 32;
    for (const auto& bytes : clouds_) {
      const auto width = static_cast<std::uint32_t>(bytes.size() / step);
      messages_.push_back({1, width, described, false, step, width * step, bytes});
    }
  }
  std::byte* message(std::size_t cloud) override { return clouds_[cloud].data(); }

 protected:
  RingOptions options_;
  std::vector<std::vector<std::byte>> clouds_;
  std::vector<CloudView> messages_;
};

class InPlace final : public OnBytes {
 public:
  void call(std::size_t cloud) override {
    sent_ = std::make_unique<std::vector<std::byte>>(ring_in_place(messages_[cloud], options_));
  }
  std::vector<std::byte> answer() const override { return *sent_; }

 private:
  std::unique_ptr<std::vector<std::byte>> sent_;
};

class Ours final : public OnBytes {
 public:
  void load(const Input& input) override {
    OnBytes::load(input);
    filter_ = std::make_unique<RingFilter>(options_);
  }
  void call(std::size_t cloud) override { sent_ = (*filter_)(messages_[cloud]); }
  std::vector<std::byte> answer() const override { return {sent_.begin(), sent_.end()}; }

 private:
  std::unique_ptr<RingFilter> filter_;
  std::span<const std::byte> sent_;
};

}  // namespace

std::unique_ptr<Contender> make_ring_in_place() { return std::make_unique<InPlace>(); }
std::unique_ptr<Contender> make_ring_filter() { return std::make_unique<Ours>(); }

}  // namespace wirecost::bench::cloud
