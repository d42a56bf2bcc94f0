// SPDX-License-Identifier: Apache-2.0
// The plan of messages of JSON.
#include <bit>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "wirecost/arrow/batch.hpp"
#include "wirecost/arrow/plan.hpp"

namespace wirecost::arrow {

namespace {

constexpr std::size_t deepest = 256;

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

JsonValue::Op op_of(const Node& node) {
  using Op = JsonValue::Op;
  switch (node.kind) {
    case Kind::structure: return Op::object;
    case Kind::list: return Op::list;
    case Kind::time: return Op::time;
    case Kind::text: return node.count == 0 ? Op::text : Op::raw;
    case Kind::sequence:
      if (node.format == "Z") return Op::base64;
      break;
    case Kind::scalar:
      if (node.format == "b" && node.width == 1) return Op::boolean;
      if (node.width != 8) break;
      if (node.format == "l") return Op::integer;
      if (node.format == "L") return Op::natural;
      if (node.format == "g") return Op::real;
      break;
    default: break;
  }
  refuse("a plan of another kind");
}

class Builder {
 public:
  explicit Builder(Plan& plan) : plan_(plan) {}

  void build() {
    plan_.column_of.assign(plan_.nodes.size(), none);
    plan_.presence_of.assign(plan_.nodes.size(), none);
    plan_.levels.emplace_back();
    if (plan_.nodes.empty() || plan_.nodes[0].kind != Kind::structure)
      refuse("a plan without a message");
    plan_.json = value(0, 0);
    if (at_ != plan_.nodes.size()) refuse("a plan of several messages");
    plan_.describe_rows();
  }

 private:
  const Node& node() const {
    if (at_ >= plan_.nodes.size()) refuse("a plan that contradicts itself");
    return plan_.nodes[at_];
  }

  JsonValue value(std::uint32_t level, std::size_t depth) {
    if (depth > deepest) refuse("a plan of values too deep in values");
    const std::size_t number = at_;
    const Node& own = node();
    JsonValue made;
    made.op = op_of(own);
    made.name = own.name;
    made.kept = own.kept;
    ++at_;
    if (!own.kept) {
      for (std::size_t left = own.children; left != 0; --left, ++at_) left += node().children;
      return made;
    }
    made.first = static_cast<std::uint32_t>(plan_.columns.size());
    if (depth != 0)
      plan_.presence_of[number] = made.presence = plan_.add(level, {Kind::scalar, level, 1});
    if (own.kind == Kind::list) {
      if (own.children != 1) refuse("a plan of other lists");
      made.level = static_cast<std::uint32_t>(plan_.levels.size());
      plan_.levels.emplace_back();
      plan_.column_for(number, level, {Kind::list, level, 0, 1, made.level});
      made.inside.push_back(value(made.level, depth + 1));
    } else if (own.kind == Kind::structure) {
      members(made, own.children, level, depth + 1);
    } else {
      if (own.children != 0) refuse("a plan of other values");
      const std::uint32_t width = own.kind == Kind::time     ? 8
                                  : own.kind == Kind::scalar ? own.width
                                                             : 1;
      made.column = plan_.column_for(number, level, {own.kind, level, width});
    }
    made.last = static_cast<std::uint32_t>(plan_.columns.size());
    return made;
  }

  void members(JsonValue& made, std::uint32_t count, std::uint32_t level, std::size_t depth) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (node().kind == Kind::recorded)
        plan_.column_for(at_++, level, {Kind::recorded, level, 8});
      else
        made.inside.push_back(value(level, depth));
    }
    const auto name = [&](std::uint32_t place) -> std::string_view {
      return made.inside[place].name;
    };
    made.by_name.resize(made.inside.size());
    std::iota(made.by_name.begin(), made.by_name.end(), 0U);
    std::ranges::sort(made.by_name, {}, name);
    if (std::ranges::adjacent_find(made.by_name, {}, name) != made.by_name.end())
      refuse("a plan of members with one name");
  }

  Plan& plan_;
  std::size_t at_ = 0;
};

}  // namespace

Plan::Plan(JsonNodes json) : nodes(std::move(json.nodes)) { Builder(*this).build(); }

std::uint32_t Plan::add(std::uint32_t level, const Column& column) {
  const auto made = static_cast<std::uint32_t>(columns.size());
  columns.push_back(column);
  levels[level].push_back(made);
  return made;
}

std::uint32_t Plan::column_for(std::size_t node, std::uint32_t level, const Column& column) {
  return column_of[node] = add(level, column);
}

void Plan::describe_rows() {
  ends.resize(levels.size());
  row_bytes.resize(levels.size());
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const bool is_ragged = has_offsets(column.kind);
    row_bytes[column.level] += is_ragged ? sizeof(std::int64_t) : column.width;
    if (is_ragged)
      ends[column.level].push_back(
          {i, column.child, static_cast<std::uint32_t>(std::countr_zero(column.width | 16U))});
  }
}

}  // namespace wirecost::arrow
