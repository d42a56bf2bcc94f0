// SPDX-License-Identifier: Apache-2.0
// The columns wire (docs/formats/columns.md): each field an array that is read in place, of scaled
// integers where a field may have an error. Decoded into points here, as the others are.
#include <zstd.h>

#include <stdexcept>
#include <tuple>

#include "bench/codecs/codec.hpp"
#include "wirecost/columns/builder.hpp"
#include "wirecost/columns/view.hpp"

namespace wirecost::bench::codecs {
namespace {

using columns::Reduction;

/// The fields of the cloud, as generated code has those of a message.
struct PointColumns {
  inline static columns::Schema schema;
};

columns::Type type_of(cloud::Type type) {
  using enum columns::Type;
  constexpr columns::Type types[]{message, int8,   uint8,   int16,  uint16,
                                  int32,   uint32, float32, float64};
  return types[static_cast<std::size_t>(type)];
}

class Columns : public Codec {
 public:
  explicit Columns(const Task& task) : points_(cloud::points(task.view)) {
    for (const cloud::Field& field : task.view.fields)
      for (std::uint32_t each = 0; each < field.count; ++each) {
        const auto index = static_cast<std::uint32_t>(nodes_.size());
        const columns::Type type = type_of(field.type);
        nodes_.push_back({.name = field.name, .number = index + 1, .end = index + 1, .type = type});
        offsets_.push_back(field.offset + each * columns::width_of(type));
        reductions_.push_back(has_error(field) ? Reduction{columns::Reduce::error, task.error}
                                               : Reduction{columns::Reduce::automatic});
      }
    PointColumns::schema = {"Points", nodes_};
    gathered_.resize(nodes_.size());
  }

  std::span<const std::byte> encode() override {
    builder_.begin(static_cast<std::uint32_t>(points_.count));
    for (std::uint32_t index = 0; index < nodes_.size(); ++index)
      columns::with_type(nodes_[index].type, [&]<class T>(T) {
        gathered_[index].resize(points_.count * sizeof(T));
        auto* values = reinterpret_cast<T*>(gathered_[index].data());
        const std::byte* from = points_.first + offsets_[index];
        for (std::size_t at = 0; at < points_.count; ++at, from += points_.step)
          std::memcpy(values + at, from, sizeof(T));
        builder_.announce(columns::Scalar<T>{index}, std::span<const T>(values, points_.count),
                          reductions_[index]);
      });
    buffer_.clear();
    if (const columns::Error error = builder_.place(buffer_))
      throw std::runtime_error(error.message());
    return buffer_.bytes();
  }

  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    if (const columns::Error error = view_.read(packed)) throw std::runtime_error(error.message());
    for (std::uint32_t index = 0; index < nodes_.size(); ++index)
      columns::with_type(nodes_[index].type, [&]<class T>(T) {
        std::vector<T>& spare = std::get<std::vector<T>>(spares_);
        std::byte* to = points.data() + offsets_[index];
        for (const T value : view_[columns::Scalar<T>{index}].span(spare)) {
          std::memcpy(to, &value, sizeof value);
          to += points_.step;
        }
      });
  }

 private:
  cloud::Points points_;
  std::vector<columns::Node> nodes_;
  std::vector<std::size_t> offsets_;
  std::vector<Reduction> reductions_;
  std::vector<std::vector<std::byte>> gathered_;
  columns::Builder<PointColumns> builder_;
  columns::Buffer buffer_;
  columns::View<PointColumns> view_;
  std::tuple<std::vector<std::int8_t>, std::vector<std::uint8_t>, std::vector<std::int16_t>,
             std::vector<std::uint16_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
             std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<float>,
             std::vector<double>>
      spares_;
};

/// Payloads are no longer read in place.
class CompressedColumns : public Codec {
 public:
  explicit CompressedColumns(const Task& task) : columns_(task) {}

  std::span<const std::byte> encode() override {
    const auto plain = columns_.encode();
    kept_.resize(ZSTD_compressBound(plain.size()));
    return std::span(kept_).first(checked(ZSTD_compressCCtx(
        packing_.get(), kept_.data(), kept_.size(), plain.data(), plain.size(), 1)));
  }
  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    plain_.resize(ZSTD_getFrameContentSize(packed.data(), packed.size()));
    const std::size_t size = checked(ZSTD_decompressDCtx(
        unpacking_.get(), plain_.data(), plain_.size(), packed.data(), packed.size()));
    columns_.decode(std::span(plain_).first(size), points);
  }

 private:
  static std::size_t checked(std::size_t size) {
    if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
    return size;
  }

  Columns columns_;
  std::vector<std::byte> kept_, plain_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> packing_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> unpacking_{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

template <class Made>
std::unique_ptr<Codec> make(const Task& task) {
  return std::make_unique<Made>(task);
}

}  // namespace

std::vector<Listed> columns_wire() {
  const std::string library = "wirecost " WIRECOST_VERSION;
  return {
      {"columns", library, true, make<Columns>},
      {"columns-zstd", library + ", zstd " + ZSTD_versionString(), true, make<CompressedColumns>}};
}

}  // namespace wirecost::bench::codecs
