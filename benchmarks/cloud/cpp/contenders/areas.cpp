// SPDX-License-Identifier: Apache-2.0
// The versions that find points in detection areas. Nothing is prepared outside the callback.
#include "cloud/area/area.hpp"
#include "cloud/area/detection_areas.hpp"
#include "cloud/cpp/contender.hpp"

namespace wirecost::bench::cloud {
namespace {

using namespace wirecost::cloud;

constexpr std::uint32_t step = 16;  // of a pcl::PointXYZ
constexpr std::array<Field, 3> fields{
    {{"x", 0, Type::f32}, {"y", 4, Type::f32}, {"z", 8, Type::f32}}};

class OnAreas : public Contender {
 public:
  void load(const Input& input) override {
    clouds_ = input.clouds;
    ask_ = input.first ? Ask::first : Ask::all;
    for (const auto& bytes : clouds_) {
      const auto width = static_cast<std::uint32_t>(bytes.size() / step);
      messages_.push_back({1, width, fields, false, step, width * step, bytes});
    }
    for (const auto& numbers : input.areas) {
      Area& area = areas_.emplace_back();
      for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
        area.outer().emplace_back(numbers[i], numbers[i + 1]);
      if (!area.outer().empty()) area.outer().push_back(area.outer().front());
    }
    check(areas_);
  }

  std::byte* message(std::size_t cloud) override { return clouds_[cloud].data(); }

  std::vector<std::byte> answer() const override {
    std::vector<std::byte> all;
    for (const Inside& one : inside_) {
      const auto* const first = reinterpret_cast<const std::byte*>(&one.first);
      all.insert(all.end(), first, first + sizeof one.first);
      const auto mask = std::as_bytes(std::span(one.mask));
      all.insert(all.end(), mask.begin(), mask.end());
    }
    return all;
  }

 protected:
  std::vector<std::vector<std::byte>> clouds_;
  std::vector<CloudView> messages_;
  std::vector<Area> areas_;
  Ask ask_ = Ask::all;
  std::vector<Inside> inside_;
};

using Find = void (*)(const PlanePoints&, std::span<const Area>, Ask, std::vector<Inside>&);

template <Find find>
class Plain final : public OnAreas {
 public:
  void call(std::size_t cloud) override {
    find(PlanePoints(messages_[cloud]), areas_, ask_, inside_);
  }
};

class Ours final : public OnAreas {
 public:
  void call(std::size_t cloud) override {
    find_(PlanePoints(messages_[cloud]), areas_, ask_, inside_);
  }

 private:
  DetectionAreas find_;
};

}  // namespace

std::unique_ptr<Contender> make_area_within() { return std::make_unique<Plain<area_within>>(); }
std::unique_ptr<Contender> make_area_circle() { return std::make_unique<Plain<area_circle>>(); }
std::unique_ptr<Contender> make_area_bands() { return std::make_unique<Ours>(); }

}  // namespace wirecost::bench::cloud
