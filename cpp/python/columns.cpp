// SPDX-License-Identifier: Apache-2.0
// The columns wire for schemas that are known at run time only: what Python's converter needs.
#include "wirecost/columns/message.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;
using namespace wirecost;

namespace {

/// A node as Python describes it: numbers in the order of columns::Node, the name of its type, the
/// names of what is set, and how it is stored.
struct NodeText {
  std::string name, type, coding;
  std::uint32_t number = 0, end = 0;
  std::int32_t parent = -1, oneof = -1;
  bool repeated = false, optional = false, required = false, always = false, packed = false,
       group = false, wraps = false;
  std::string reduce;
  double error = 0;
};

template <class Enum>
Enum named(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> all) {
  for (const auto& [text, value] : all)
    if (name == text) return value;
  throw nb::value_error(("no such name: " + name).c_str());
}

columns::Type type_of(const std::string& name) {
  using enum columns::Type;
  return named<columns::Type>(name, {{"bool", boolean},
                                     {"int8", int8},
                                     {"uint8", uint8},
                                     {"int16", int16},
                                     {"uint16", uint16},
                                     {"int32", int32},
                                     {"uint32", uint32},
                                     {"int64", int64},
                                     {"uint64", uint64},
                                     {"float32", float32},
                                     {"float64", float64},
                                     {"enum", enumeration},
                                     {"text", text},
                                     {"message", message}});
}

/// Owns schema and containers, which the run-time only points to.
class Converter {
 public:
  using Edges = std::vector<std::tuple<std::uint32_t, std::uint32_t>>;
  using ColumnsFields = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;

  void add_schema(const std::string& name, const std::vector<NodeText>& nodes) {
    auto& schema = *schemas_.emplace_back(std::make_unique<OwnSchema>());
    schema.name = name;
    schema.texts = nodes;
    for (const NodeText& text : schema.texts) {
      using protobuf::Coding;
      schema.nodes.push_back({.name = text.name,
                              .number = text.number,
                              .parent = text.parent,
                              .end = text.end,
                              .type = type_of(text.type),
                              .coding = named<Coding>(text.coding, {{"varint", Coding::varint},
                                                                    {"zigzag", Coding::zigzag},
                                                                    {"fixed", Coding::fixed}}),
                              .repeated = text.repeated,
                              .optional = text.optional,
                              .required = text.required,
                              .always = text.always,
                              .packed = text.packed,
                              .group = text.group,
                              .wraps = text.wraps,
                              .oneof = text.oneof});
      using columns::Reduce;
      schema.reductions.push_back({named<Reduce>(text.reduce, {{"exact", Reduce::exact},
                                                               {"auto", Reduce::automatic},
                                                               {"float32", Reduce::float32},
                                                               {"error", Reduce::error}}),
                                   text.error});
    }
  }
  void add_container(const std::string& name, const Edges& edges, const ColumnsFields& fields) {
    auto& container = *containers_.emplace_back(std::make_unique<OwnContainer>());
    container.name = name;
    for (const auto& [number, index] : edges) container.edges.push_back({number, index});
    for (const auto& [rows, columns, schema] : fields)
      container.columns_fields.push_back({rows, columns, schema});
  }
  /// To be called once, when everything is added.
  void close() {
    for (const auto& schema : schemas_) {
      all_schemas_.push_back({schema->name, schema->nodes});
      all_reductions_.push_back(schema->reductions);
    }
    for (const auto& container : containers_) {
      for (const auto& edge : container->edges)
        if (edge.container >= containers_.size()) throw nb::value_error("no such container");
      for (const auto& field : container->columns_fields)
        if (field.schema >= schemas_.size()) throw nb::value_error("no such schema");
      all_.push_back({container->name, container->edges, container->columns_fields});
    }
    converter_.emplace(columns::Containers{all_, all_schemas_, all_reductions_});
  }

  /// `before`: bytes that will stand in front of the message and count for its alignment; with
  /// some, padding behind it lets the next one begin alike.
  nb::object to_columns(std::uint32_t container, nb::handle message, bool keep_rows,
                        std::size_t before) {
    return converted(container, message, before,
                     [&](std::span<const std::byte> in, columns::Buffer& out) {
                       columns::Converter::Options options;
                       options.keep_rows = keep_rows;
                       const auto error = converter_->to_columns(container, in, out, options);
                       if (!error && before != 0) columns::pad(out, 0);
                       return error;
                     });
  }
  nb::object to_rows(std::uint32_t container, nb::handle message) {
    return converted(container, message, 0,
                     [&](std::span<const std::byte> in, columns::Buffer& out) {
                       return converter_->to_rows(container, in, out);
                     });
  }
  std::size_t lists() const { return converter_->converted(); }
  std::size_t refused() const { return converter_->refused(); }

 private:
  struct OwnSchema {
    std::string name;
    std::vector<NodeText> texts;
    std::vector<columns::Node> nodes;
    std::vector<columns::Reduction> reductions;
  };
  struct OwnContainer {
    std::string name;
    std::vector<columns::Edge> edges;
    std::vector<columns::ColumnsField> columns_fields;
  };

  nb::object converted(std::uint32_t container, nb::handle message, std::size_t before,
                       const auto& convert) {
    if (!converter_ || container >= all_.size()) throw nb::value_error("no such container");
    Py_buffer view;
    if (PyObject_GetBuffer(message.ptr(), &view, PyBUF_SIMPLE) != 0) nb::raise_python_error();
    const std::span<const std::byte> in(static_cast<const std::byte*>(view.buf),
                                        static_cast<std::size_t>(view.len));
    columns::Error error;
    {
      nb::gil_scoped_release unlocked;
      out_.clear();
      out_.append_zeros(before);
      error = convert(in, out_);
    }
    PyBuffer_Release(&view);
    if (error) throw nb::value_error(error.message().c_str());
    return nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(out_.data() + before),
                                             static_cast<Py_ssize_t>(out_.size() - before),
                                             PyBUF_READ));
  }

  std::vector<std::unique_ptr<OwnSchema>> schemas_;
  std::vector<std::unique_ptr<OwnContainer>> containers_;
  std::vector<columns::Schema> all_schemas_;
  std::vector<std::span<const columns::Reduction>> all_reductions_;
  std::vector<columns::Container> all_;
  std::optional<columns::Converter> converter_;
  columns::Buffer out_;
};

}  // namespace

void bind_columns(nb::module_& m) {
  nb::class_<NodeText>(m, "ColumnNode")
      .def(nb::init<>())
      .def_rw("name", &NodeText::name)
      .def_rw("type", &NodeText::type)
      .def_rw("coding", &NodeText::coding)
      .def_rw("number", &NodeText::number)
      .def_rw("end", &NodeText::end)
      .def_rw("parent", &NodeText::parent)
      .def_rw("oneof", &NodeText::oneof)
      .def_rw("repeated", &NodeText::repeated)
      .def_rw("optional", &NodeText::optional)
      .def_rw("required", &NodeText::required)
      .def_rw("always", &NodeText::always)
      .def_rw("packed", &NodeText::packed)
      .def_rw("group", &NodeText::group)
      .def_rw("wraps", &NodeText::wraps)
      .def_rw("reduce", &NodeText::reduce)
      .def_rw("error", &NodeText::error);
  nb::class_<Converter>(m, "ColumnsConverter")
      .def(nb::init<>())
      .def("add_schema", &Converter::add_schema)
      .def("add_container", &Converter::add_container)
      .def("close", &Converter::close)
      .def("to_columns", &Converter::to_columns, nb::arg("container"), nb::arg("message"),
           nb::arg("keep_rows"), nb::arg("before"), nb::keep_alive<0, 1>())
      .def("to_rows", &Converter::to_rows, nb::arg("container"), nb::arg("message"),
           nb::keep_alive<0, 1>())
      .def_prop_ro("lists", &Converter::lists)
      .def_prop_ro("refused", &Converter::refused);
}
