// SPDX-License-Identifier: Apache-2.0
// The plan of a type of Protobuf.
#include <stdexcept>
#include <utility>

#include "wirecost/arrow/plan.hpp"

namespace wirecost::arrow {

namespace {

constexpr int deepest = 256;
constexpr std::uint32_t last_number = (1U << 29U) - 1, near_numbers = 256;
constexpr std::uint32_t as_varint = 0, as_64_bits = 1, as_bytes = 2, as_group = 3, as_32_bits = 5;

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

class Builder {
 public:
  explicit Builder(Plan& plan) : plan_(plan) {}

  void build() {
    plan_.column_of.assign(plan_.nodes.size(), none);
    plan_.presence_of.assign(plan_.nodes.size(), none);
    plan_.levels.emplace_back();
    if (plan_.nodes.empty() || plan_.nodes[0].kind != Kind::structure)
      refuse("a plan without a message");
    message(0, 0);
    if (at_ != plan_.nodes.size()) refuse("a plan of several messages");
    plan_.describe_rows();
  }

 private:
  const Node& node() const {
    if (at_ >= plan_.nodes.size()) refuse("a plan that contradicts itself");
    return plan_.nodes[at_];
  }

  /// Reads over a part with all that it holds.
  void skip() {
    for (std::size_t left = 1; left != 0; --left, ++at_) left += node().children;
  }

  /// The place of the next message in the plan.
  std::uint32_t message(std::uint32_t level, int depth) {
    if (depth > deepest) refuse("a plan of messages too deep in messages");
    const auto place = static_cast<std::uint32_t>(plan_.messages.size());
    plan_.messages.emplace_back();
    TaggedMessage made;
    const std::uint32_t children = node().children;
    ++at_;
    for (std::uint32_t i = 0; i < children; ++i) {
      if (node().kind == Kind::recorded) {
        plan_.column_for(at_++, level, {Kind::recorded, level, 8});
        continue;
      }
      made.fields.push_back(field(level, depth));
    }
    std::ranges::sort(made.fields, {}, &Tag::number);
    if (std::ranges::adjacent_find(made.fields, {}, &Tag::number) != made.fields.end())
      refuse("a plan of fields with one number");
    for (std::uint32_t i = 0; i < made.fields.size(); ++i) {
      const std::uint32_t number = made.fields[i].number;
      if (number >= near_numbers) break;
      made.nearest.resize(number + 1, none);
      made.nearest[number] = i;
    }
    plan_.messages[place] = std::move(made);
    return place;
  }

  Tag field(std::uint32_t level, int depth) {
    const std::size_t number = at_;
    const Node& own = node();
    Tag tag{.op = Tag::Op::varint, .number = own.number, .oneof = own.oneof, .kept = own.kept};
    if (tag.number == 0 || tag.number > last_number) refuse("a plan of another field");
    const bool is_list = own.kind == Kind::list;
    if (is_list && (own.children != 1 || number + 1 >= plan_.nodes.size()))
      refuse("a plan that contradicts itself");
    const Node& element = plan_.nodes[number + (is_list ? 1 : 0)];
    describe(tag, element);
    const bool is_number = tag.op <= Tag::Op::fixed;
    tag.repeated = is_list || (is_number && element.kind == Kind::sequence);
    if (is_list && is_number) refuse("a plan of other numbers");
    if (!tag.kept) {
      skip();
      return tag;
    }
    tag.first = static_cast<std::uint32_t>(plan_.columns.size());
    if (own.nullable)
      plan_.presence_of[number] = tag.presence = plan_.add(level, {Kind::scalar, level, 1});
    if (is_list) {
      tag.level = static_cast<std::uint32_t>(plan_.levels.size());
      plan_.levels.emplace_back();
      plan_.column_for(at_++, level, {Kind::list, level, 0, 1, tag.level});
      level = tag.level;
    }
    if (tag.op == Tag::Op::message) {
      tag.body = message(level, depth + 1);
    } else {
      tag.column = plan_.column_for(at_, level, {plan_.nodes[at_].kind, level, tag.width});
      skip();
    }
    tag.last = static_cast<std::uint32_t>(plan_.columns.size());
    return tag;
  }

  static void describe(Tag& tag, const Node& node) {
    tag.width = 1;
    tag.wire = as_bytes;
    switch (node.kind) {
      case Kind::structure:
        tag.op = Tag::Op::message;
        if (node.coding == Coding::group) tag.wire = as_group;
        return;
      case Kind::text: tag.op = Tag::Op::text; return;
      case Kind::sequence:
        if (node.format == "Z") {
          tag.op = Tag::Op::bytes;
          return;
        }
        break;
      case Kind::scalar: break;
      default: refuse("a plan of another kind");
    }
    tag.width = node.width;
    if (node.format == "b" && node.width == 1) {
      tag.op = Tag::Op::boolean;
      tag.wire = as_varint;
      return;
    }
    if (node.width != 4 && node.width != 8) refuse("a plan of another width");
    const bool is_fixed = node.coding == Coding::fixed;
    tag.op = is_fixed                        ? Tag::Op::fixed
             : node.coding == Coding::zigzag ? Tag::Op::zigzag
                                             : Tag::Op::varint;
    tag.wire = !is_fixed ? as_varint : node.width == 8 ? as_64_bits : as_32_bits;
  }

  Plan& plan_;
  std::size_t at_ = 0;
};

}  // namespace

Plan::Plan(std::vector<Node> all) : nodes(std::move(all)) { Builder(*this).build(); }

}  // namespace wirecost::arrow
