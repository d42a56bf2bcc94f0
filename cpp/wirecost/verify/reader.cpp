// SPDX-License-Identifier: Apache-2.0
#include "wirecost/verify/reader.hpp"

#include <string>

namespace wirecost {
namespace {

struct Wire {
  std::string_view name;
  std::unique_ptr<IndependentReader> (*make)(std::string_view schema);
};

constexpr Wire wires[] = {
    {"protobuf", verify::protobuf_reader},
    {"columns", verify::protobuf_reader},  // Protobuf's wire, with fields that columns.cpp reads
    {"flatbuffers", verify::flatbuffers_reader},
    {"flatbuffers-struct", verify::flatbuffers_reader},
    {"arrays", verify::arrays_reader},
};

}  // namespace

std::unique_ptr<IndependentReader> make_reader(std::string_view wire, std::string_view schema) {
  std::string known;
  for (const Wire& one : wires) {
    if (one.name == wire) return one.make(schema);
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw std::invalid_argument("no independent reader for the wire \"" + std::string(wire) +
                              "\"; known wires: " + known);
}

}  // namespace wirecost
