// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/export.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wirecost::arrow {

namespace {

constexpr const char *list_format = "+L", *text_format = "U";
constexpr std::int64_t nullable = 2;

/// What an exported structure owns, apart from its children's own.
template <class Exported>
struct Owned {
  std::string format, name;
  std::vector<Exported> storage;
  std::vector<Exported*> children;
  std::vector<const void*> buffers;
  std::vector<std::uint8_t> validity, bits;
  std::vector<std::int32_t> places;  // in the dictionary
  std::vector<std::int64_t> begins;  // of texts
  std::string texts;
  std::unique_ptr<Exported> dictionary;
  std::shared_ptr<const Batch> batch;

  Exported& child(std::size_t number) { return storage[number]; }
};

template <class Exported>
void release(Exported* exported) {
  for (std::int64_t i = 0; i < exported->n_children; ++i) {
    Exported* const child = exported->children[i];
    if (child->release != nullptr) child->release(child);
  }
  if (exported->dictionary != nullptr && exported->dictionary->release != nullptr)
    exported->dictionary->release(exported->dictionary);
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

/// Gives an enum the dictionary of its names.
template <class Exported>
Owned<Exported>& own_dictionary(Exported& into, Owned<Exported>& owned) {
  owned.dictionary = std::make_unique<Exported>();
  into.dictionary = owned.dictionary.get();
  return own(*into.dictionary, 0);
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

void set_format(ArrowSchema& into, Owned<ArrowSchema>& owned, const Node& node) {
  owned.format = node.format;
  into.format = owned.format.c_str();
  into.name = owned.name.c_str();
  if (node.names.empty()) return;
  own_dictionary(into, owned);
  into.dictionary->format = text_format;
  into.dictionary->name = "";
}

void schema(const Plan& plan, std::size_t number, ArrowSchema& into) {
  const Node& node = plan.nodes[number];
  Owned<ArrowSchema>& owned = own(into, kept_children(plan, number));
  owned.name = node.name;
  if (presence(plan, number) != none) into.flags = nullable;
  if (has_elements(node) || is_list(node)) {
    owned.format = is_fixed_list(node) ? "+w:" + std::to_string(node.count) : list_format;
    into.format = owned.format.c_str();
    into.name = owned.name.c_str();
  } else {
    set_format(into, owned, node);
  }
  if (has_elements(node)) {
    Owned<ArrowSchema>& of_element = own(owned.child(0), 0);
    of_element.name = "item";
    set_format(owned.child(0), of_element, node);
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

void finish(ArrowArray& into, Owned<ArrowArray>& owned, std::int64_t length) {
  into.length = length;
  into.n_buffers = static_cast<std::int64_t>(owned.buffers.size());
  into.buffers = owned.buffers.data();
}

/// Places of an enum's numbers in a dictionary of its names; a number without one has its digits.
void set_names(ArrowArray& into, Owned<ArrowArray>& owned, const Node& node, const ColumnData& data,
               const std::byte* present, std::int64_t length) {
  Owned<ArrowArray>& texts = own_dictionary(into, owned);
  texts.begins.push_back(0);
  const auto add = [&](const std::string& text) {
    texts.texts += text;
    texts.begins.push_back(static_cast<std::int64_t>(texts.texts.size()));
  };
  for (const auto& [_, name] : node.names) add(name);
  const auto number_at = [&](std::size_t row) {
    std::int32_t number = 0;
    std::memcpy(&number, data.values.data() + row * sizeof number, sizeof number);
    return number;
  };
  const auto is_there = [&](std::size_t row) {
    return present == nullptr || present[row] != std::byte{0};
  };
  const auto of_names = [&](std::int32_t number) {
    const auto name = std::ranges::lower_bound(node.names, number, {},
                                               [](const auto& each) { return each.first; });
    const bool is_known = name != node.names.end() && name->first == number;
    return is_known ? static_cast<std::int32_t>(name - node.names.begin()) : -1;
  };
  owned.places.resize(static_cast<std::size_t>(length));
  std::vector<std::int32_t> others;  // as many as values at most, in little memory
  for (std::size_t row = 0; row < owned.places.size(); ++row) {
    if (!is_there(row)) continue;
    owned.places[row] = of_names(number_at(row));
    if (owned.places[row] < 0) others.push_back(number_at(row));
  }
  std::ranges::sort(others);
  others.erase(std::ranges::unique(others).begin(), others.end());
  for (const std::int32_t number : others) add(std::to_string(number));
  for (std::size_t row = 0; row < owned.places.size(); ++row) {
    if (owned.places[row] >= 0) continue;
    const auto other = std::ranges::lower_bound(others, number_at(row)) - others.begin();
    owned.places[row] =
        static_cast<std::int32_t>(node.names.size()) + static_cast<std::int32_t>(other);
  }
  owned.buffers.push_back(owned.places.data());
  texts.buffers = {nullptr, texts.begins.data(), texts.texts.data()};
  finish(*into.dictionary, texts, static_cast<std::int64_t>(texts.begins.size() - 1));
}

void set_values(ArrowArray& into, Owned<ArrowArray>& owned, const Node& node,
                const ColumnData& data, const std::byte* present, std::int64_t length) {
  const std::byte* const values = data.values.data();
  if (!node.names.empty())
    set_names(into, owned, node, data, present, length);
  else
    owned.buffers.push_back(node.format == "b" ? bits(owned.bits, values, length) : values);
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
  const std::byte* present = nullptr;
  if (const std::uint32_t validity = presence(plan, number); validity != none) {
    present = batch->columns[validity].values.data();
    into.null_count = std::count(present, present + length, std::byte{0});
    owned.buffers[0] = bits(owned.validity, present, length);
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
    set_values(element, of_element, node, *data, nullptr, elements);
    finish(element, of_element, elements);
  } else if (node.kind == Kind::structure || is_list(node)) {
    each_child(plan, number, [&](std::size_t place, std::size_t child) {
      array(batch, child, elements, owned.child(place));
    });
  } else {
    set_values(into, owned, node, *data, present, elements);
  }
  finish(into, owned, length);
}

}  // namespace

void export_schema(const Plan& plan, ArrowSchema& into) { schema(plan, 0, into); }

void export_array(const std::shared_ptr<const Batch>& batch, ArrowArray& into) {
  array(batch, 0, static_cast<std::int64_t>(batch->counts[0]), into);
}

}  // namespace wirecost::arrow
