// SPDX-License-Identifier: Apache-2.0
// Any columns and any text as JSON: nothing is read beyond a message, columns are not much larger
// than what was counted for them, and messages leave the same rows alone and together.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzzing.hpp"

namespace {

using namespace wirecost::arrow;

void add_value(Input& from, std::vector<Node>& nodes, std::string name, int depth);

/// Gives the last node, a structure, its members.
void add_members(Input& from, std::vector<Node>& nodes, int depth) {
  const std::size_t place = nodes.size() - 1;
  const std::uint32_t members = from.next() % 4;
  bool has_any = false;
  for (std::uint32_t i = 0; i < members; ++i) {
    const std::size_t member = nodes.size();
    add_value(from, nodes, std::string(1, static_cast<char>('a' + i)), depth);
    has_any = has_any || nodes[member].kept;
  }
  nodes[place].children += members;
  nodes[place].kept = nodes[place].kept && has_any;
}

void add_value(Input& from, std::vector<Node>& nodes, std::string name, int depth) {
  const std::uint8_t first = from.next();
  const std::size_t place = nodes.size();
  nodes.push_back({.name = std::move(name), .format = "L", .kind = Kind::scalar, .width = 8});
  Node& node = nodes.back();
  node.kept = first < 224;
  switch (first % 11) {
    case 0: node.format = "l"; break;
    case 1: node.format = "b", node.width = 1; break;
    case 2: node.format = "U", node.kind = Kind::text; break;
    case 3: node.format = "Z", node.kind = Kind::sequence, node.width = 1; break;
    case 4: node.format = "g"; break;
    case 5: node.format = "tsn:", node.kind = Kind::time; break;
    case 6: node.format = "U", node.kind = Kind::text, node.count = 1; break;
    case 7:
    case 8:
      if (depth > 4) break;
      node.kind = Kind::list, node.format = "", node.children = 1;
      add_value(from, nodes, "item", depth + 1);
      nodes[place].kept = nodes[place + 1].kept;
      break;
    case 9:
      if (depth > 4) break;
      node.kind = Kind::structure, node.format = "+s";
      add_members(from, nodes, depth + 1);
      break;
    default: break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input from(data, size);
  std::vector<Node> nodes;
  nodes.push_back({.name = "", .format = "+s", .children = 0});
  add_members(from, nodes, 0);
  nodes[0].kept = true;
  ++nodes[0].children;
  nodes.insert(nodes.begin() + 1,
               {.name = "t", .format = "tsn:", .kind = Kind::recorded, .width = 8});
  const auto plan = std::make_shared<const Plan>(JsonNodes{nodes});
  check_messages(from, plan);
  return 0;
}
