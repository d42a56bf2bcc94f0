// SPDX-License-Identifier: Apache-2.0
#include "plain_cloud.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "cloud/ring/filter.hpp"
#include "cloud/ring/in_place.hpp"

namespace nodes {
namespace {

using namespace wirecost::cloud;

constexpr std::array<std::uint64_t, 9> sizes{0, 1, 1, 2, 2, 4, 4, 4, 8};

PlainBytes plain(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// A cloud as the filters see it.
class View {
 public:
  const CloudView& operator()(const PlainCloud& cloud) {
    fields_.clear();
    for (const PlainField& field : cloud.fields) {
      // The filters look types up in a table.
      if (field.datatype >= 1 && field.datatype < sizes.size())
        fields_.push_back(
            {field.name, field.offset, static_cast<Type>(field.datatype), field.count});
    }
    const auto* const first = reinterpret_cast<const std::byte*>(cloud.data.first);
    view_ = {cloud.height,
             cloud.width,
             fields_,
             cloud.big_endian,
             cloud.point_step,
             cloud.row_step,
             {first, cloud.data.size}};
    return view_;
  }

 private:
  std::vector<Field> fields_;
  CloudView view_{};
};

class Recommended final : public BytesFilter {
 public:
  PlainBytes operator()(const PlainCloud& cloud) override {
    said_ = ring_in_place(view_(cloud), {});
    return plain(said_);
  }

 private:
  View view_;
  std::vector<std::byte> said_;
};

class Wirecost final : public BytesFilter {
 public:
  PlainBytes operator()(const PlainCloud& cloud) override { return plain(filter_(view_(cloud))); }

 private:
  View view_;
  RingFilter filter_{{}};
};

}  // namespace

const std::vector<PlainField>& filtered_fields() {
  static const std::vector<PlainField> fields = [] {
    std::vector<PlainField> made;
    made.reserve(output_fields.size());
    for (const Field& field : output_fields)
      made.push_back(
          {field.name, field.offset, static_cast<std::uint8_t>(field.type), field.count});
    return made;
  }();
  return fields;
}

Format check(const PlainCloud& cloud) {
  for (const PlainField& field : cloud.fields) {
    const bool known = field.datatype >= 1 && field.datatype < sizes.size();
    if (!known || field.offset + sizes[field.datatype] * field.count > cloud.point_step)
      throw std::invalid_argument("cloud: field " + std::string(field.name.substr(0, 64)) +
                                  " has no known type or lies outside of the point; mend its " +
                                  "sender");
  }
  View view;
  points(view(cloud));
  return ring_layout(view(cloud)).float_intensity ? Format::xyziradrt : Format::xyzircaedt;
}

std::unique_ptr<BytesFilter> make_filter(std::string_view version) {
  if (version == "recommended") return std::make_unique<Recommended>();
  if (version == "wirecost") return std::make_unique<Wirecost>();
  throw std::invalid_argument(std::string(version) + " is not known; give recommended or wirecost");
}

}  // namespace nodes
