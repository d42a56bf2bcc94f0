// SPDX-License-Identifier: Apache-2.0
// Packed point clouds for wirecost.cloud.
#include "wirecost/cloud/packed/packer.hpp"
#include "wirecost/cloud/packed/unpacker.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;
using namespace wirecost::cloud;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Memory = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Name, offset, type and count of a field.
using FieldTuple = std::tuple<std::string, std::uint32_t, std::uint8_t, std::uint32_t>;
using Layout = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::vector<FieldTuple>>;

std::span<const std::byte> bytes_of(const Bytes& bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

/// Packs clouds with the same precisions and effort, one at a time.
class CloudPacker {
 public:
  CloudPacker(const std::vector<std::tuple<std::string, double>>& errors, bool quick)
      : packer_(precisions(errors), quick ? Effort::quick : Effort::small) {}

  nb::bytes pack(const Bytes& data, const Layout& layout) {
    const auto& [height, width, point_step, tuples] = layout;
    std::vector<Field> fields;
    fields.reserve(tuples.size());
    for (const auto& [name, offset, type, count] : tuples)
      fields.push_back({name, offset, static_cast<Type>(type), count});
    const CloudView view{height,        width, fields, false, point_step, width * point_step,
                         bytes_of(data)};
    std::span<const std::byte> packed;
    {
      const nb::gil_scoped_release released;
      packed = packer_.pack(view);
    }
    return nb::bytes(packed.data(), packed.size());
  }

 private:
  static std::vector<Precision> precisions(
      const std::vector<std::tuple<std::string, double>>& errors) {
    std::vector<Precision> made;
    made.reserve(errors.size());
    for (const auto& [field, error] : errors) made.push_back({field, error});
    return made;
  }

  Packer packer_;
};

class CloudUnpacker {
 public:
  Layout read(const Bytes& packed) {
    const PackedLayout& layout = unpacker_.read(bytes_of(packed));
    std::vector<FieldTuple> fields;
    fields.reserve(layout.fields.size());
    for (const Field& field : layout.fields)
      fields.emplace_back(field.name, field.offset, static_cast<std::uint8_t>(field.type),
                          field.count);
    return {layout.height, layout.width, layout.point_step, fields};
  }

  /// The packed bytes again, which must be those that were read.
  void unpack(const Bytes& packed, const Memory& into) {
    const nb::gil_scoped_release released;
    unpacker_.read(bytes_of(packed));
    unpacker_.unpack(std::as_writable_bytes(std::span(into.data(), into.size())));
  }

 private:
  Unpacker unpacker_;
};

}  // namespace

void bind_cloud(nb::module_& m) {
  nb::class_<CloudPacker>(m, "CloudPacker")
      .def(nb::init<const std::vector<std::tuple<std::string, double>>&, bool>(), nb::arg("errors"),
           nb::arg("quick"))
      .def("pack", &CloudPacker::pack, nb::arg("data"), nb::arg("layout"));
  nb::class_<CloudUnpacker>(m, "CloudUnpacker")
      .def(nb::init<>())
      .def("read", &CloudUnpacker::read, nb::arg("packed"))
      .def("unpack", &CloudUnpacker::unpack, nb::arg("packed"), nb::arg("into"));
}
