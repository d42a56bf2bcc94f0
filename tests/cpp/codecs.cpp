// SPDX-License-Identifier: Apache-2.0
// transcode(codec, view): a Protobuf sensor view read into a scene, written and read again by a
// codec, and written by the codec once more: what the Python tests compare.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "wirecost/codec/bare_arrays.hpp"
#include "wirecost/codec/columns_to_old.hpp"
#include "wirecost/codec/flatbuffers_object.hpp"
#include "wirecost/codec/flatbuffers_struct.hpp"
#include "wirecost/codec/flatbuffers_table.hpp"
#include "wirecost/codec/protobuf.hpp"

namespace nb = nanobind;
using namespace wirecost;

namespace {

template <Codec C>
std::string encode(const Scene& scene) {
  typename C::ViewWriter writer(Variant::same_work);
  write(writer, scene.header, scene.lidar, scene.reflections, scene.objects);
  const Bytes bytes = writer.serialize();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <Codec C>
Scene decode(const std::string& bytes) {
  typename C::ViewReader reader;
  if (!reader.open(std::as_bytes(std::span(bytes)))) throw std::invalid_argument("no sensor view");
  return to_scene(reader);
}

template <Codec C>
nb::bytes transcode(const std::string& view) {
  const Scene scene = decode<protobuf::FreshCodec>(view);
  const std::string bytes = encode<C>(scene);
  if (decode<C>(bytes) != scene) throw std::runtime_error("the codec reads other than it wrote");
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

NB_MODULE(_codecs, m) {
  m.def("transcode", [](const std::string& codec, nb::bytes bytes) {
    const std::string view(bytes.c_str(), bytes.size());
    if (codec == "protobuf") return transcode<protobuf::FreshCodec>(view);
    if (codec == "protobuf-arena") return transcode<protobuf::ArenaCodec>(view);
    if (codec == "protobuf-reuse") return transcode<protobuf::ReuseCodec>(view);
    if (codec == "flatbuffers-table") return transcode<flatbuffer::TableCodec>(view);
    if (codec == "flatbuffers-object") return transcode<flatbuffer::ObjectCodec>(view);
    if (codec == "flatbuffers-struct") return transcode<flatbuffer::StructCodec>(view);
    if (codec == "protobuf-view") return transcode<compiled::RowsCodec>(view);
    if (codec == "columns") return transcode<compiled::ColumnsCodec>(view);
    if (codec == "columns-also-rows") return transcode<compiled::AlsoRowsCodec>(view);
    if (codec == "also-rows-to-old") return transcode<compiled::AlsoRowsToOldCodec>(view);
    if (codec == "arrays") return transcode<bare::ArraysCodec>(view);
    throw std::invalid_argument("unknown codec " + codec);
  });
}
