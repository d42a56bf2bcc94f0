// SPDX-License-Identifier: Apache-2.0
// transcode(codec, view): a Protobuf sensor view read into a scene, written and read again by a
// codec, and written by the codec once more: what the Python tests compare.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <map>
#include <stdexcept>
#include <string>

#include "registered_codecs.hpp"
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

#define TRANSCODER(name, type) {name, transcode<type>},
const std::map<std::string, nb::bytes (*)(const std::string&)> transcoders{
    WIRECOST_EXACT_CODECS(TRANSCODER)};

}  // namespace

NB_MODULE(_codecs, m) {
  m.def("transcode", [](const std::string& codec, nb::bytes view) {
    const auto found = transcoders.find(codec);
    if (found == transcoders.end()) throw std::invalid_argument("unknown codec " + codec);
    return found->second({view.c_str(), view.size()});
  });
}
