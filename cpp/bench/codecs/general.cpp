// SPDX-License-Identifier: Apache-2.0
// Codecs that know nothing of points.
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <stdexcept>

#include "bench/codecs/codec.hpp"

namespace wirecost::bench::codecs {
namespace {

class Copied : public Codec {
 public:
  explicit Copied(const Task& task) : data_(task.view.data), kept_(data_.size()) {}
  std::span<const std::byte> encode() override {
    std::ranges::copy(data_, kept_.begin());
    return kept_;
  }
  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    std::ranges::copy(packed, points.begin());
  }

 private:
  std::span<const std::byte> data_;
  std::vector<std::byte> kept_;
};

template <int level>
class Zstd : public Codec {
 public:
  explicit Zstd(const Task& task)
      : data_(task.view.data),
        kept_(ZSTD_compressBound(data_.size())),
        packing_(ZSTD_createCCtx(), ZSTD_freeCCtx),
        unpacking_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}
  std::span<const std::byte> encode() override {
    const std::size_t size = ZSTD_compressCCtx(packing_.get(), kept_.data(), kept_.size(),
                                               data_.data(), data_.size(), level);
    if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
    return std::span(kept_).first(size);
  }
  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    const std::size_t size = ZSTD_decompressDCtx(unpacking_.get(), points.data(), points.size(),
                                                 packed.data(), packed.size());
    if (size != points.size()) throw std::runtime_error("zstd: another size came out");
  }

 private:
  std::span<const std::byte> data_;
  std::vector<std::byte> kept_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> packing_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> unpacking_;
};

class Lz4 : public Codec {
 public:
  explicit Lz4(const Task& task)
      : data_(task.view.data),
        kept_(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(data_.size())))) {}
  std::span<const std::byte> encode() override {
    const int size = LZ4_compress_default(
        reinterpret_cast<const char*>(data_.data()), reinterpret_cast<char*>(kept_.data()),
        static_cast<int>(data_.size()), static_cast<int>(kept_.size()));
    return std::span(kept_).first(static_cast<std::size_t>(size));
  }
  void decode(std::span<const std::byte> packed, std::span<std::byte> points) override {
    const int size = LZ4_decompress_safe(
        reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(points.data()),
        static_cast<int>(packed.size()), static_cast<int>(points.size()));
    if (size != static_cast<int>(points.size()))
      throw std::runtime_error("LZ4: another size came out");
  }

 private:
  std::span<const std::byte> data_;
  std::vector<std::byte> kept_;
};

template <class Made>
std::unique_ptr<Codec> make(const Task& task) {
  return std::make_unique<Made>(task);
}

}  // namespace

std::vector<Listed> general() {
  const std::string zstd = std::string("zstd ") + ZSTD_versionString();
  return {{"copy", "memcpy", false, make<Copied>},
          {"lz4", std::string("LZ4 ") + LZ4_versionString(), false, make<Lz4>},
          {"zstd-1", zstd, false, make<Zstd<1>>},
          {"zstd-3", zstd, false, make<Zstd<3>>}};
}

}  // namespace wirecost::bench::codecs
