// SPDX-License-Identifier: Apache-2.0
// Messages of recordings as columns, for wirecost.data.columns.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "wirecost/arrow/chunk.hpp"
#include "wirecost/arrow/export.hpp"
#include "wirecost/arrow/memory.hpp"
#include "wirecost/arrow/messages.hpp"
#include "wirecost/arrow/pass.hpp"

namespace nb = nanobind;
using namespace wirecost::arrow;

namespace {

template <class Value>
using Array = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Kind, name, Arrow's format, width, count, children, whether it is kept, whether only for points,
/// and the offset within a point; of Protobuf number, coding, whether it can be null, oneof, and an
/// enum's numbers and names.
using NodeTuple =
    std::tuple<std::uint8_t, std::string, std::string, std::uint32_t, std::uint64_t, std::uint32_t,
               bool, bool, std::uint64_t, std::uint32_t, std::uint8_t, bool, std::uint32_t,
               std::vector<std::pair<std::int32_t, std::string>>>;

std::vector<Node> nodes_of(const std::vector<NodeTuple>& tuples) {
  std::vector<Node> nodes;
  nodes.reserve(tuples.size());
  for (const auto& [kind, name, format, width, count, children, kept, hidden, offset, number,
                    coding, nullable, oneof, names] : tuples) {
    if (kind > static_cast<std::uint8_t>(Kind::points) ||
        coding > static_cast<std::uint8_t>(Coding::group))
      throw nb::value_error("no such kind");
    if (!names.empty() && (width != 4 || !std::ranges::is_sorted(names)))
      throw nb::value_error("no such enum");
    nodes.push_back({name, format, static_cast<Kind>(kind), width, count, children, kept || hidden,
                     !hidden, offset, number, static_cast<Coding>(coding), nullable, oneof, names});
  }
  return nodes;
}

std::shared_ptr<Plan> plan(const std::vector<NodeTuple>& tuples, std::uint32_t largest,
                           bool headed) {
  return std::make_shared<Plan>(nodes_of(tuples), largest, headed);
}

std::shared_ptr<Plan> tagged_plan(const std::vector<NodeTuple>& tuples) {
  return std::make_shared<Plan>(nodes_of(tuples));
}

std::shared_ptr<Plan> json_plan(const std::vector<NodeTuple>& tuples) {
  return std::make_shared<Plan>(JsonNodes{nodes_of(tuples)});
}

template <class Value>
std::span<const Value> span_of(const Array<Value>& array) {
  return {array.data(), array.size()};
}

/// Returns how many messages were read.
std::size_t add(Pass& pass, const Array<std::uint8_t>& memory, const Array<std::uint64_t>& begins,
                const Array<std::uint64_t>& sizes, const Array<std::int64_t>& times,
                std::size_t most_rows, std::size_t most_bytes) {
  if (begins.size() != sizes.size() || begins.size() != times.size())
    throw nb::value_error("of each message there is a beginning, a size and a time");
  const nb::gil_scoped_release released;
  return pass.add({std::as_bytes(span_of(memory)), span_of(begins), span_of(sizes), span_of(times)},
                  most_rows, most_bytes);
}

/// The values of a vector, which the array owns.
template <class Value>
auto array_of(std::vector<Value>&& values) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

nb::tuple heads_of(const Array<std::uint8_t>& chunk, const Array<std::uint64_t>& offsets,
                   const std::vector<std::uint16_t>& channels) {
  Heads heads;
  {
    const nb::gil_scoped_release released;
    heads = message_heads(std::as_bytes(span_of(chunk)), span_of(offsets), channels);
  }
  return nb::make_tuple(array_of(std::move(heads.begins)), array_of(std::move(heads.sizes)),
                        array_of(std::move(heads.times)), array_of(std::move(heads.channels)));
}

/// Memory that serves again once nobody has the array.
auto scratch(std::size_t size) {
  auto* const kept = new Memory(take_memory(size));
  const nb::capsule owner(kept, [](void* p) noexcept {
    const std::unique_ptr<Memory> memory(static_cast<Memory*>(p));
    give_memory(*memory);
  });
  return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(kept->at, {size}, owner);
}

std::uint32_t crc32_of(const Array<std::uint8_t>& bytes) {
  const nb::gil_scoped_release released;
  return crc32(std::as_bytes(span_of(bytes)));
}

std::shared_ptr<Batch> take(Pass& pass) {
  const nb::gil_scoped_release released;
  return pass.take();
}

/// The bytes of a buffer, which stays as long as the array.
auto array_of(const Buffer& buffer, const std::shared_ptr<Batch>& batch) {
  auto* const shared = new std::shared_ptr<Batch>(batch);
  const nb::capsule owner(shared,
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<Batch>*>(p); });
  return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(buffer.data(), {buffer.size()},
                                                                 owner);
}

const ColumnData& data_of(const Batch& batch, std::size_t node) {
  const std::uint32_t column = batch.plan->column_of.at(node);
  if (column == none) throw nb::value_error("a part without values of its own");
  return batch.columns[column];
}

/// Arrow's release callbacks free what nobody has taken.
template <class Exported>
nb::capsule capsule_of(Exported* exported, const char* name) {
  return {exported, name, [](void* p) noexcept {
            auto* const kept = static_cast<Exported*>(p);
            if (kept->release != nullptr) kept->release(kept);
            delete kept;
          }};
}

nb::capsule schema_of(const Batch& batch) {
  auto exported = std::make_unique<ArrowSchema>();
  export_schema(*batch.plan, *exported);
  return capsule_of(exported.release(), "arrow_schema");
}

nb::tuple arrow_of(const std::shared_ptr<Batch>& batch, const nb::object&) {
  auto exported = std::make_unique<ArrowArray>();
  export_array(batch, *exported);
  return nb::make_tuple(schema_of(*batch), capsule_of(exported.release(), "arrow_array"));
}

/// Node, values, and where each row's begin, of the columns of a plan.
using ColumnTuple = std::tuple<std::size_t, Array<std::uint8_t>, Array<std::int64_t>>;

nb::tuple messages_of(const Plan& plan, const std::vector<ColumnTuple>& columns, std::size_t rows,
                      std::size_t first, std::size_t most_bytes) {
  std::vector<ColumnValues> by_node(plan.nodes.size());
  for (const auto& [node, values, begins] : columns)
    by_node.at(node) = {std::as_bytes(span_of(values)), span_of(begins)};
  WrittenMessages written;
  {
    const nb::gil_scoped_release released;
    written = write_messages(plan, by_node, rows, first, most_bytes);
  }
  return nb::make_tuple(array_of(std::move(written.memory)), array_of(std::move(written.ends)));
}

}  // namespace

void bind_arrow(nb::module_& m) {
  m.def("message_heads", &heads_of, nb::arg("chunk"), nb::arg("offsets"), nb::arg("channels"));
  m.def("scratch_memory", &scratch, nb::arg("size"));
  m.def("crc32", &crc32_of, nb::arg("bytes"));
  const nb::class_<Plan> plan_class(m, "RecordPlan");
  m.def("record_plan", &plan, nb::arg("nodes"), nb::arg("largest"), nb::arg("headed"));
  m.def("tagged_plan", &tagged_plan, nb::arg("nodes"));
  m.def("json_plan", &json_plan, nb::arg("nodes"));
  m.def("record_messages", &messages_of, nb::arg("plan"), nb::arg("columns"), nb::arg("rows"),
        nb::arg("first"), nb::arg("most_bytes"));
  nb::class_<Batch>(m, "RecordBatch")
      .def_prop_ro("rows", [](const Batch& batch) { return batch.counts[0]; })
      .def("values", [](const std::shared_ptr<Batch>& batch,
                        std::size_t node) { return array_of(data_of(*batch, node).values, batch); })
      .def("offsets",
           [](const std::shared_ptr<Batch>& batch, std::size_t node) {
             return array_of(data_of(*batch, node).offsets, batch);
           })
      .def("__arrow_c_schema__", &schema_of)
      .def("__arrow_c_array__", &arrow_of, nb::arg("requested_schema") = nb::none());
  nb::class_<Pass>(m, "RecordPass")
      .def("__init__", [](Pass* self, const std::shared_ptr<Plan>& of) { new (self) Pass(of); })
      .def("add", &add, nb::arg("memory"), nb::arg("begins"), nb::arg("sizes"), nb::arg("times"),
           nb::arg("most_rows"), nb::arg("most_bytes"))
      .def("take", &take)
      .def_prop_ro("rows", &Pass::rows)
      .def_prop_ro("bytes", &Pass::bytes)
      .def_prop_ro("damaged", [](const Pass& pass) { return pass.losses().damaged; })
      .def_prop_ro("longer", [](const Pass& pass) { return pass.losses().longer; })
      .def_prop_ro("carried", [](const Pass& pass) { return pass.losses().carried; })
      .def_prop_ro("mended", [](const Pass& pass) { return pass.losses().mended; })
      .def_prop_ro("pointless", [](const Pass& pass) { return pass.losses().pointless; })
      .def_prop_ro("unknown", [](const Pass& pass) { return pass.losses().unknown; })
      .def_prop_ro("refused", [](const Pass& pass) { return pass.losses().refused; });
}
