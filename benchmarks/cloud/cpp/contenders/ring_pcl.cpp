// SPDX-License-Identifier: Apache-2.0
// The usual version of the ring outlier filter. Nothing where PCL is not there.
#if __has_include(<pcl_conversions/pcl_conversions.h>)
#define PCL_NO_PRECOMPILE
#include <cstring>

#include "cloud/cpp/contender.hpp"
#include "cloud/ring/pcl.hpp"

namespace wirecost::bench::cloud {
namespace {

using namespace wirecost::cloud;

template <class Point>
sensor_msgs::PointCloud2 message_of(const std::vector<std::byte>& bytes) {
  sensor_msgs::PointCloud2 message;
  pcl::PointCloud<Point> cloud;
  cloud.resize(bytes.size() / sizeof(Point));
  if (!bytes.empty()) std::memcpy(cloud.points.data(), bytes.data(), bytes.size());
  pcl::toROSMsg(cloud, message);
  return message;
}

class RingPcl final : public Contender {
 public:
  void load(const Input& input) override {
    older_ = input.older;
    options_.as_published = input.published;
    for (const auto& bytes : input.clouds)
      messages_.push_back(older_ ? message_of<PointXYZIRADRT>(bytes)
                                 : message_of<PointXYZIRCAEDT>(bytes));
  }

  std::byte* message(std::size_t cloud) override {
    return reinterpret_cast<std::byte*>(messages_[cloud].data.data());
  }

  void call(std::size_t cloud) override {
    sent_ = std::make_unique<sensor_msgs::PointCloud2>();
    if (older_) {
      ring_pcl<PointXYZIRADRT>(messages_[cloud], options_, *sent_);
    } else {
      ring_pcl<PointXYZIRCAEDT>(messages_[cloud], options_, *sent_);
    }
  }

  std::vector<std::byte> answer() const override {
    const auto* const bytes = reinterpret_cast<const std::byte*>(sent_->data.data());
    return {bytes, bytes + sent_->data.size()};
  }

 private:
  bool older_ = false;
  RingOptions options_;
  std::vector<sensor_msgs::PointCloud2> messages_;
  std::unique_ptr<sensor_msgs::PointCloud2> sent_;
};

}  // namespace

std::unique_ptr<Contender> make_ring_pcl() { return std::make_unique<RingPcl>(); }

}  // namespace wirecost::bench::cloud

#endif
