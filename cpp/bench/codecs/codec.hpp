// SPDX-License-Identifier: Apache-2.0
// A codec of point clouds, as the race sees it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wirecost/cloud/cloud_view.hpp"

namespace wirecost::bench::codecs {

/// What every contender is given.
struct Task {
  cloud::CloudView view;
  double error;  ///< of x, y and z, at most
};

/// Whether a field is one of those that may have the error: x, y or z, in floats or doubles.
inline bool has_error(const cloud::Field& field) {
  return field.count == 1 && (field.type == cloud::Type::f32 || field.type == cloud::Type::f64) &&
         (field.name == "x" || field.name == "y" || field.name == "z");
}

class Codec {
 public:
  Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;

  /// The packed cloud, valid until the next call. Memory is kept from call to call.
  virtual std::span<const std::byte> encode() = 0;
  /// All points, with the layout of the message.
  virtual void decode(std::span<const std::byte> packed, std::span<std::byte> points) = 0;
};

struct Listed {
  std::string name, library;
  bool is_lossy = false;
  std::unique_ptr<Codec> (*make)(const Task& task) = nullptr;
  bool is_rival = false;  ///< what people use for point clouds
};

/// Every codec in this build: bytes as they are first.
std::vector<Listed> all();

std::vector<Listed> general();  ///< memcpy, LZ4, zstd
std::vector<Listed> columns_wire();
std::vector<Listed> ours();
#ifdef WIRECOST_HAS_CLOUDINI
std::vector<Listed> cloudini();
#endif
#ifdef WIRECOST_HAS_DRACO
std::vector<Listed> draco();
#endif

}  // namespace wirecost::bench::codecs
