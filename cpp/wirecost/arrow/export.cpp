// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/export.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace wirecost::arrow {

namespace {

constexpr const char* list_format = "+L";
constexpr std::int64_t nullable = 2;

/// What an exported structure owns, apart from its children's own.
template <class Exported>
struct Owned {
  std::string format, name;
  std::vector<Exported> storage;
  std::vector<Exported*> children;
  std::vector<const void*> buffers;
  std::vector<std::uint8_t> validity, bits;
  std::shared_ptr<const Batch> batch;

  Exported& child(std::size_t number) { return storage[number]; }
};

template <class Exported>
void release(Exported* exported) {
  for (std::int64_t i = 0; i < exported->n_children; ++i) {
    Exported* const child = exported->children[i];
    if (child->release != nullptr) child->release(child);
  }
  delete static_cast<Owned<Exported>*>(exported->private_data);
  exported->release = nullptr;
}

template <class Exported>
Owned<Exported>& own(Exported& into, std::size_t children) {
  auto* const owned = new Owned<Exported>;
  into = {};
  into.private_data = owned;
  into.release = &release<Exported>;
  owned->storage.resize(children);
  for (Exported& child : owned->storage) owned->children.push_back(&child);
  into.n_children = static_cast<std::int64_t>(children);
  into.children = owned->children.data();
  return *owned;
}

bool has_elements(const Node& node) {  // which are scalars
  return (node.kind == Kind::sequence && node.format != "Z") ||
         (node.kind == Kind::block && !node.format.starts_with("w:"));
}

bool is_list(const Node& node) {  // of structures, texts or other lists
  return node.kind == Kind::list || node.kind == Kind::array || node.kind == Kind::points;
}

bool is_fixed_list(const Node& node) {
  return node.kind == Kind::block || node.kind == Kind::array;
}

bool is_exported(const Node& node) { return node.kept && node.shown; }

/// Children of a node that are exported.
std::size_t kept_children(const Plan& plan, std::size_t number) {
  const Node& node = plan.nodes[number];
  if (is_list(node) || has_elements(node)) return 1;
  std::size_t kept = 0, at = number + 1;
  for (std::uint32_t i = 0; i < node.children; ++i) {
    kept += is_exported(plan.nodes[at]);
    for (std::size_t left = 1; left != 0; --left) left += plan.nodes[at++].children;
  }
  return kept;
}

/// Calls back with the number of each kept child in order, and returns the number behind the node.
template <class Callback>
std::size_t each_child(const Plan& plan, std::size_t number, Callback callback) {
  std::size_t at = number + 1, place = 0;
  for (std::uint32_t i = 0; i < plan.nodes[number].children; ++i) {
    if (is_exported(plan.nodes[at])) callback(place++, at);
    for (std::size_t left = 1; left != 0; --left) left += plan.nodes[at++].children;
  }
  return at;
}

/// The column that has a byte for each row, 0 where it is null; none where all rows have a value.
std::uint32_t presence(const Plan& plan, std::size_t number) {
  if (plan.nodes[number].kind == Kind::points) return plan.column_of[number];
  return plan.presence_of.empty() ? none : plan.presence_of[number];
}

void schema(const Plan& plan, std::size_t number, ArrowSchema& into) {
  const Node& node = plan.nodes[number];
  Owned<ArrowSchema>& owned = own(into, kept_children(plan, number));
  owned.name = node.name;
  owned.format = node.format;
  if (presence(plan, number) != none) into.flags = nullable;
  if (has_elements(node) || is_list(node))
    owned.format = is_fixed_list(node) ? "+w:" + std::to_string(node.count) : list_format;
  into.format = owned.format.c_str();
  into.name = owned.name.c_str();
  if (has_elements(node)) {
    ArrowSchema& element = owned.child(0);
    Owned<ArrowSchema>& of_element = own(element, 0);
    of_element.name = "item";
    of_element.format = node.format;
    element.format = of_element.format.c_str();
    element.name = of_element.name.c_str();
  } else {
    each_child(plan, number, [&](std::size_t place, std::size_t child) {
      schema(plan, child, owned.child(place));
    });
  }
}

/// What has a byte each here has a bit each in Arrow.
const void* bits(std::vector<std::uint8_t>& packed, const std::byte* values, std::int64_t length) {
  const auto count = static_cast<std::size_t>(length);
  packed.resize(count / 8 + 1);
  for (std::size_t i = 0; i < count; ++i)
    packed[i / 8] |= static_cast<std::uint8_t>((values[i] != std::byte{0}) << (i % 8));
  return packed.data();
}

void set_values(Owned<ArrowArray>& owned, const std::string& format, const ColumnData& data,
                std::int64_t length) {
  const std::byte* const values = data.values.data();
  owned.buffers.push_back(format == "b" ? bits(owned.bits, values, length) : values);
}

void finish(ArrowArray& into, Owned<ArrowArray>& owned, std::int64_t length) {
  into.length = length;
  into.n_buffers = static_cast<std::int64_t>(owned.buffers.size());
  into.buffers = owned.buffers.data();
}

void array(const std::shared_ptr<const Batch>& batch, std::size_t number, std::int64_t length,
           ArrowArray& into) {
  const Plan& plan = *batch->plan;
  const Node& node = plan.nodes[number];
  Owned<ArrowArray>& owned = own(into, kept_children(plan, number));
  owned.batch = batch;
  const std::uint32_t column = plan.column_of[number];
  const ColumnData* const data = column == none ? nullptr : &batch->columns[column];
  owned.buffers.push_back(nullptr);  // validity
  if (const std::uint32_t validity = presence(plan, number); validity != none) {
    const std::byte* const values = batch->columns[validity].values.data();
    into.null_count = std::count(values, values + length, std::byte{0});
    owned.buffers[0] = bits(owned.validity, values, length);
  }
  std::int64_t elements = length;
  if (data != nullptr && has_offsets(node.kind)) {
    owned.buffers.push_back(data->offsets.data());
    elements = data->begins()[length];
  } else if (is_fixed_list(node)) {
    elements = length * static_cast<std::int64_t>(node.count);
  }
  if (has_elements(node)) {
    ArrowArray& element = owned.child(0);
    Owned<ArrowArray>& of_element = own(element, 0);
    of_element.batch = batch;
    of_element.buffers.push_back(nullptr);
    set_values(of_element, node.format, *data, elements);
    finish(element, of_element, elements);
  } else if (node.kind == Kind::structure || is_list(node)) {
    each_child(plan, number, [&](std::size_t place, std::size_t child) {
      array(batch, child, elements, owned.child(place));
    });
  } else {
    set_values(owned, node.format, *data, elements);
  }
  finish(into, owned, length);
}

}  // namespace

void export_schema(const Plan& plan, ArrowSchema& into) { schema(plan, 0, into); }

void export_array(const std::shared_ptr<const Batch>& batch, ArrowArray& into) {
  array(batch, 0, static_cast<std::int64_t>(batch->counts[0]), into);
}

}  // namespace wirecost::arrow
