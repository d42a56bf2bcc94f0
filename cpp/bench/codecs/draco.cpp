// SPDX-License-Identifier: Apache-2.0
// Draco: positions in as many bits as the error needs, other fields whole; the sequential encoding,
// which keeps the order of points.
#include "draco/compression/decode.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "bench/codecs/codec.hpp"
#include "draco/compression/expert_encode.h"
#include "draco/core/draco_version.h"
#include "draco/point_cloud/point_cloud.h"

namespace wirecost::bench::codecs {
namespace {

using draco::GeometryAttribute;

constexpr int most_bits = 30;

draco::DataType type_of(cloud::Type type) {
  using enum cloud::Type;
  switch (type) {
    case i8: return draco::DT_INT8;
    case u8: return draco::DT_UINT8;
    case i16: return draco::DT_INT16;
    case u16: return draco::DT_UINT16;
    case i32: return draco::DT_INT32;
    case u32: return draco::DT_UINT32;
    case f32: return draco::DT_FLOAT32;
    case f64: return draco::DT_FLOAT64;
  }
  return draco::DT_INVALID;
}

class Sequential : public Codec {
 public:
  explicit Sequential(const Task& task) : view_(task.view), error_(task.error) {
    const auto x = offset_of(view_, "x", cloud::Type::f32),
               y = offset_of(view_, "y", cloud::Type::f32),
               z = offset_of(view_, "z", cloud::Type::f32);
    if (!x || y != *x + 4 || z != *x + 8)
      throw std::invalid_argument("no x, y, z behind one another");
    place_ = *x;
  }

  std::span<const std::byte> encode() override {
    draco::PointCloud cloud;
    const std::size_t count = std::size_t{view_.height} * view_.width;
    cloud.set_num_points(static_cast<std::uint32_t>(count));
    const auto add = [&](GeometryAttribute::Type kind, draco::DataType type, int values,
                         std::size_t offset) {
      GeometryAttribute attribute;
      const auto size =
          static_cast<std::size_t>(values) * static_cast<std::size_t>(draco::DataTypeLength(type));
      attribute.Init(kind, nullptr, static_cast<std::int8_t>(values), type, false,
                     static_cast<std::int64_t>(size), 0);
      const int id = cloud.AddAttribute(attribute, true, static_cast<std::uint32_t>(count));
      draco::PointAttribute* to = cloud.attribute(id);
      for (std::size_t at = 0; at < count; ++at)
        std::memcpy(to->GetAddress(draco::AttributeValueIndex(static_cast<std::uint32_t>(at))),
                    view_.data.data() + at * view_.point_step + offset, size);
      return id;
    };
    const int place = add(GeometryAttribute::POSITION, draco::DT_FLOAT32, 3, place_);
    for (const cloud::Field& field : view_.fields)
      if (field.offset < place_ || field.offset >= place_ + 12)
        add(GeometryAttribute::GENERIC, type_of(field.type), static_cast<int>(field.count),
            field.offset);
    draco::ExpertEncoder encoder(cloud);
    encoder.SetEncodingMethod(draco::POINT_CLOUD_SEQUENTIAL_ENCODING);
    encoder.SetAttributeQuantization(place, bits(cloud.attribute(place), count));
    buffer_.Clear();
    if (!encoder.EncodeToBuffer(&buffer_).ok()) throw std::runtime_error("Draco cannot encode it");
    return std::as_bytes(std::span(buffer_.data(), buffer_.size()));
  }

  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    draco::DecoderBuffer in;
    in.Init(reinterpret_cast<const char*>(packed.data()), packed.size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodePointCloudFromBuffer(&in);
    if (!decoded.ok()) throw std::runtime_error("Draco cannot decode it");
    const draco::PointCloud& cloud = *decoded.value();
    const auto take = [&](int id, std::size_t offset, std::size_t size) {
      const draco::PointAttribute* from = cloud.attribute(id);
      for (std::uint32_t at = 0; at < cloud.num_points(); ++at)
        std::memcpy(points.data() + std::size_t{at} * view_.point_step + offset,
                    from->GetAddress(from->mapped_index(draco::PointIndex(at))), size);
    };
    int next = 0;
    take(next++, place_, 12);
    for (const cloud::Field& field : view_.fields)
      if (field.offset < place_ || field.offset >= place_ + 12)
        take(next++, field.offset,
             field.count * static_cast<std::size_t>(draco::DataTypeLength(type_of(field.type))));
  }

 private:
  /// Bits for the largest side, so that half a step is within the error.
  int bits(const draco::PointAttribute* places, std::size_t count) const {
    float least[3], most[3];
    places->GetValue(draco::AttributeValueIndex(0), least);
    std::copy_n(least, 3, most);
    for (std::uint32_t at = 1; at < count; ++at) {
      float place[3];
      places->GetValue(draco::AttributeValueIndex(at), place);
      for (int axis = 0; axis < 3; ++axis) {
        least[axis] = std::min(least[axis], place[axis]);
        most[axis] = std::max(most[axis], place[axis]);
      }
    }
    float side = 0;
    for (int axis = 0; axis < 3; ++axis) side = std::max(side, most[axis] - least[axis]);
    // An infinite side, or one of a NaN, has no number of bits.
    const double needed = std::ceil(std::log2(side / (2 * error_) + 1));
    return needed < most_bits ? std::max(1, static_cast<int>(needed)) : most_bits;
  }

  cloud::CloudView view_;
  double error_;
  std::size_t place_ = 0;
  draco::EncoderBuffer buffer_;
};

std::unique_ptr<Codec> make(const Task& task) { return std::make_unique<Sequential>(task); }

}  // namespace

std::vector<Listed> draco() {
  return {{"draco", std::string("Draco ") + ::draco::kDracoVersion, true, make}};
}

}  // namespace wirecost::bench::codecs
