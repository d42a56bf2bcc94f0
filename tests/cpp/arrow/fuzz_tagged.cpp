// SPDX-License-Identifier: Apache-2.0
// Any type of Protobuf and any messages: nothing is read beyond a message, columns are not much
// larger than what was counted for them, and messages leave the same rows alone and together.
#include <memory>
#include <stdexcept>
#include <vector>

#include "fuzzing.hpp"

namespace {

using namespace wirecost::arrow;

void add_message(Input& from, std::vector<Node>& nodes, int depth, bool can_be_kept);

void add_field(Input& from, std::vector<Node>& nodes, std::uint32_t number, int depth) {
  const std::uint8_t first = from.next(), second = from.next();
  const std::size_t place = nodes.size();
  nodes.push_back({.name = "n", .format = "I", .kind = Kind::scalar, .width = 4, .count = 1});
  Node& node = nodes.back();
  node.number = number;
  node.kept = first < 224;
  node.nullable = (second & 1) != 0;
  node.oneof = (second & 6) == 6 ? 1 : 0;
  if (node.oneof != 0) node.nullable = true;
  node.coding = static_cast<Coding>(second / 8 % 3);
  const bool is_list = (second & 64) != 0;
  switch (first % 7) {
    case 0: node.format = "L", node.width = 8; break;
    case 1: node.format = "b", node.width = 1, node.coding = Coding::varint; break;
    case 2: node.format = "U", node.kind = Kind::text; break;
    case 3: node.format = "Z", node.kind = Kind::sequence, node.width = 1; break;
    case 4:
    case 5:
      if (depth < 5) node.kind = Kind::structure;
      break;
    default: break;
  }
  if (node.kind == Kind::scalar) {
    if (is_list) node.kind = Kind::sequence, node.nullable = false, node.oneof = 0;
    return;
  }
  Node element = node;
  if (element.kind == Kind::structure && (second & 128) != 0) element.coding = Coding::group;
  element.number = is_list ? 0 : number;
  if (is_list) {
    node.kind = Kind::list, node.children = 1, node.nullable = false, node.oneof = 0;
    element.nullable = false, element.oneof = 0;
    nodes.push_back(element);
  } else {
    node = element;
  }
  if (element.kind == Kind::structure) {
    const std::size_t structure = nodes.size() - 1;
    add_message(from, nodes, depth + 1, nodes[place].kept);
    nodes[place].kept = nodes[structure].kept;
  }
}

/// Gives the last node, a structure, its fields.
void add_message(Input& from, std::vector<Node>& nodes, int depth, bool can_be_kept) {
  const std::size_t place = nodes.size() - 1;
  const std::uint32_t fields = 1 + from.next() % 4;
  const std::uint32_t step = from.next() == 7 ? 300 : 1;
  nodes[place].format = "+s";
  bool has_any = false;
  for (std::uint32_t i = 0; i < fields; ++i) {
    const std::size_t field = nodes.size();
    add_field(from, nodes, 1 + i * step, depth);
    has_any = has_any || nodes[field].kept;
  }
  nodes[place].children += fields;
  nodes[place].kept = can_be_kept && has_any;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input from(data, size);
  std::vector<Node> nodes;
  nodes.push_back({.name = "", .format = "+s", .children = 0});
  add_message(from, nodes, 0, true);
  nodes[0].kept = true;
  ++nodes[0].children;
  nodes.insert(nodes.begin() + 1,
               {.name = "t", .format = "tsn:", .kind = Kind::recorded, .width = 8});
  std::shared_ptr<const Plan> plan;
  try {
    plan = std::make_shared<Plan>(nodes);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  check_messages(from, plan);
  return 0;
}
