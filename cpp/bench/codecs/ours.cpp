// SPDX-License-Identifier: Apache-2.0
#include "bench/codecs/codec.hpp"
#include "wirecost/cloud/packed/packer.hpp"
#include "wirecost/cloud/packed/unpacker.hpp"

namespace wirecost::bench::codecs {
namespace {

class Packed : public Codec {
 public:
  Packed(const Task& task, std::vector<cloud::Precision> precisions, cloud::Effort effort)
      : view_(task.view), packer_(std::move(precisions), effort) {}
  std::span<const std::byte> encode() override { return packer_.pack(view_); }
  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    unpacker_.read(packed);
    unpacker_.unpack(points);
  }

 private:
  cloud::CloudView view_;
  cloud::Packer packer_;
  cloud::Unpacker unpacker_;
};

template <cloud::Effort effort>
std::unique_ptr<Codec> exact(const Task& task) {
  return std::make_unique<Packed>(task, std::vector<cloud::Precision>{}, effort);
}

template <cloud::Effort effort>
std::unique_ptr<Codec> near(const Task& task) {
  std::vector<cloud::Precision> precisions;
  for (const cloud::Field& field : task.view.fields)
    if (has_error(field)) precisions.push_back({std::string(field.name), task.error});
  return std::make_unique<Packed>(task, std::move(precisions), effort);
}

}  // namespace

std::vector<Listed> ours() {
  const std::string library = "wirecost " WIRECOST_VERSION;
  using enum cloud::Effort;
  return {{"wirecost-exact", library, false, exact<small>},
          {"wirecost", library, true, near<small>},
          {"wirecost-quick-exact", library, false, exact<quick>},
          {"wirecost-quick", library, true, near<quick>}};
}

}  // namespace wirecost::bench::codecs
