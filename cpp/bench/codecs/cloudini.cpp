// SPDX-License-Identifier: Apache-2.0
// Cloudini as its documentation uses it, in the calling thread. Its error is half its resolution.
#include "cloudini_lib/cloudini.hpp"

#include "bench/codecs/codec.hpp"

namespace wirecost::bench::codecs {
namespace {

using Cloudini::CompressionOption;

template <CompressionOption second>
class Quantised : public Codec {
 public:
  explicit Quantised(const Task& task) : data_(task.view.data), encoder_(about(task)) {}
  std::span<const std::byte> encode() override {
    encoder_.encode({reinterpret_cast<const std::uint8_t*>(data_.data()), data_.size()}, kept_);
    return std::as_bytes(std::span(kept_));
  }
  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    Cloudini::ConstBufferView in(reinterpret_cast<const std::uint8_t*>(packed.data()),
                                 packed.size());
    const Cloudini::EncodingInfo info = Cloudini::DecodeHeader(in);
    decoder_.decode(info, in, {reinterpret_cast<std::uint8_t*>(points.data()), points.size()});
  }

 private:
  static Cloudini::EncodingInfo about(const Task& task) {
    Cloudini::EncodingInfo info;
    info.width = task.view.width;
    info.height = task.view.height;
    info.point_step = task.view.point_step;
    info.compression_opt = second;
    info.use_threads = false;
    for (const cloud::Field& field : task.view.fields)
      for (std::uint32_t each = 0; each < field.count; ++each) {
        Cloudini::PointField made;
        made.name = std::string(field.name);
        made.offset = field.offset + each * cloud::size_of(field.type);
        made.type = static_cast<Cloudini::FieldType>(field.type);
        if (has_error(field)) made.resolution = static_cast<float>(2 * task.error);
        info.fields.push_back(made);
      }
    return info;
  }

  std::span<const std::byte> data_;
  Cloudini::PointcloudEncoder encoder_;
  Cloudini::PointcloudDecoder decoder_;
  std::vector<std::uint8_t> kept_;
};

template <CompressionOption second>
std::unique_ptr<Codec> make(const Task& task) {
  return std::make_unique<Quantised<second>>(task);
}

}  // namespace

std::vector<Listed> cloudini() {
  const std::string library = "Cloudini " WIRECOST_HAS_CLOUDINI;
  return {{"cloudini-zstd", library, true, make<CompressionOption::ZSTD>},
          {"cloudini-lz4", library, true, make<CompressionOption::LZ4>},
          {"cloudini", library, true, make<CompressionOption::NONE>}};
}

}  // namespace wirecost::bench::codecs
