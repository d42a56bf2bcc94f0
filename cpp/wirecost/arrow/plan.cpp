// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

namespace wirecost::arrow {

namespace {

constexpr std::uint64_t largest_run = 1U << 30U;
constexpr int deepest = 256;

/// Values of fixed sizes that are not yet a step.
struct Pending {
  struct Part {
    std::uint32_t alignment;
    std::uint64_t size;
    bool is_leaf;
  };
  std::vector<Part> parts;
  std::vector<Leaf> leaves;
};

bool is_run(const std::vector<Step>& steps) {
  return steps.size() == 1 && steps[0].op == Step::Op::run;
}

bool is_flat(const std::vector<Step>& steps) {
  return std::ranges::all_of(steps, [](const Step& step) {
    return step.op != Step::Op::points && (step.op != Step::Op::elements || is_run(step.body));
  });
}

class Builder {
 public:
  explicit Builder(Plan& plan) : plan_(plan) {}

  void build() {
    plan_.column_of.assign(plan_.nodes.size(), none);
    plan_.levels.emplace_back();
    if (plan_.nodes.empty() || plan_.nodes[0].kind != Kind::structure)
      throw std::invalid_argument("a plan without a message");
    plan_.steps = steps(0, 0).first;
    plan_.flat = is_flat(plan_.steps);
    if (plan_.points.step != 0) describe_points();
    if (at_ != plan_.nodes.size()) throw std::invalid_argument("a plan of several messages");
  }

 private:
  using StepsAndLeast = std::pair<std::vector<Step>, std::uint64_t>;

  /// The steps of the next node, which stands alone, and its least bytes.
  StepsAndLeast steps(std::uint32_t level, int depth) {
    std::vector<Step> made;
    Pending pending;
    const std::uint64_t least = add(made, pending, level, depth);
    flush(made, pending);
    return {std::move(made), least};
  }

  std::uint64_t add(std::vector<Step>& made, Pending& pending, std::uint32_t level, int depth) {
    if (at_ >= plan_.nodes.size() || depth > deepest)
      throw std::invalid_argument("a plan that contradicts itself");
    const std::size_t number = at_++;
    const Node& node = plan_.nodes[number];
    if (!node.kept) level = none;
    switch (node.kind) {
      case Kind::recorded: column(number, level, {Kind::recorded, level, 8}); return 0;
      case Kind::structure: {
        std::uint64_t least = 0;
        for (std::uint32_t i = 0; i < node.children; ++i)
          least += add(made, pending, level, depth + 1);
        return least;
      }
      case Kind::scalar: return fixed(number, pending, level, node.width, 1, 1);
      case Kind::block: return fixed(number, pending, level, node.width, node.count, node.count);
      case Kind::time: return fixed(number, pending, level, 4, 2, node.count);
      case Kind::text:
      case Kind::sequence: {
        flush(made, pending);
        const bool is_text = node.kind == Kind::text;
        if (!is_text && (node.width > 8 || (node.width & (node.width - 1)) != 0))
          throw std::invalid_argument("a plan of another width");
        Step step{.op = is_text ? Step::Op::text : Step::Op::sequence, .width = node.width};
        step.column = column(number, level, {node.kind, level, is_text ? 1 : node.width});
        made.push_back(std::move(step));
        return 4;
      }
      case Kind::points: return points(number, made, pending, level);
      case Kind::list:
      case Kind::array: return elements(number, made, pending, level, depth);
    }
    throw std::invalid_argument("a plan of another kind");
  }

  /// `values`: on the wire, of `width` bytes each; `count`: what the leaf says of them.
  std::uint64_t fixed(std::size_t number, Pending& pending, std::uint32_t level,
                      std::uint32_t width, std::uint64_t values, std::uint64_t count) {
    if (width == 0 || width > 8 || (width & (width - 1)) != 0 || values == 0 ||
        values > largest_run / width)
      throw std::invalid_argument("a plan of another width");
    const Kind kind = plan_.nodes[number].kind;
    const bool is_time = kind == Kind::time;
    const std::uint32_t to =
        column(number, level, {kind, level, is_time ? 8 : width, is_time ? 1 : values});
    if (to != none) pending.leaves.push_back({kind, to, width, count});
    pending.parts.push_back({std::min(width, plan_.largest), width * values, to != none});
    return width * values;
  }

  std::uint64_t elements(std::size_t number, std::vector<Step>& made, Pending& pending,
                         std::uint32_t level, int depth) {
    flush(made, pending);
    const Node node = plan_.nodes[number];
    Step step{.op = Step::Op::elements, .count = node.count, .counted = node.kind == Kind::list};
    if (level != none) {
      step.level = static_cast<std::uint32_t>(plan_.levels.size());
      plan_.levels.emplace_back();
      step.column = column(number, level, {node.kind, level, 0, node.count, step.level});
    }
    std::tie(step.body, step.least) = steps(step.level, depth + 1);
    if (step.least == 0) throw std::invalid_argument("a plan of elements without a byte");
    step.flat = is_flat(step.body) && !is_run(step.body);
    step.mask = mask(step);
    const bool counted = step.counted;
    const std::uint64_t least = step.least;
    made.push_back(std::move(step));
    if (counted) return 4;
    if (node.count == 0 || node.count > largest_run / least)
      throw std::length_error("an array of too many elements");
    return node.count * least;
  }

  /// The largest alignment of what a step reads, less 1.
  std::uint32_t mask(const Step& step) const {
    if (step.op == Step::Op::run) return step.run.mask;
    std::uint32_t largest = std::min(std::max(step.width, 4U), plan_.largest) - 1;
    for (const Step& each : step.body) largest = std::max(largest, mask(each));
    return largest;
  }

  std::uint64_t points(std::size_t number, std::vector<Step>& made, Pending& pending,
                       std::uint32_t level) {
    flush(made, pending);
    const Node node = plan_.nodes[number];
    Points& points = plan_.points;
    if (level != 0 || points.step != 0 || node.width == 0 || at_ >= plan_.nodes.size() ||
        plan_.nodes[at_].kind != Kind::structure)
      throw std::invalid_argument("a plan of other points");
    points.step = node.width;
    points.big = node.count != 0;
    Step step{.op = Step::Op::points, .level = static_cast<std::uint32_t>(plan_.levels.size())};
    plan_.levels.emplace_back();
    step.column = column(number, level, {Kind::points, level, 1, 1, step.level});
    std::uint64_t left = node.width;
    for (std::uint32_t i = plan_.nodes[at_++].children; i != 0; --i) {
      if (at_ >= plan_.nodes.size()) throw std::invalid_argument("a plan of other points");
      const Node& field = plan_.nodes[at_];
      const std::uint64_t size = field.width * field.count;
      // Together they are no larger than the point, so columns are no larger than messages.
      if ((field.kind != Kind::scalar && field.kind != Kind::block) || field.count == 0 ||
          field.width == 0 || field.count > node.width || size > left ||
          field.offset > node.width - size)
        throw std::invalid_argument("a plan of other points");
      left -= size;
      points.expected.push_back({field.name, static_cast<std::uint32_t>(field.offset),
                                 datatype(field), static_cast<std::uint32_t>(field.count),
                                 field.width,
                                 column(at_, field.kept ? step.level : none,
                                        {field.kind, step.level, field.width, field.count})});
      ++at_;
    }
    made.push_back(std::move(step));
    return 4;
  }

  /// A type by its number in sensor_msgs/PointField.
  static std::uint8_t datatype(const Node& field) {
    constexpr std::string_view formats = "cCsSiIfg";
    constexpr std::string_view widths = "11224448";
    const std::size_t place =
        field.format.size() == 1 ? formats.find(field.format[0]) : std::string_view::npos;
    if (place == std::string_view::npos ||
        field.width != static_cast<std::uint32_t>(widths[place] - '0'))
      throw std::invalid_argument("a plan of other points");
    return static_cast<std::uint8_t>(1 + place);
  }

  /// Finds the columns that describe points.
  void describe_points() const {
    Points& points = plan_.points;
    const auto of_u32 = [&](std::string_view name, std::uint32_t& to) {
      return std::tuple{name, Kind::scalar, 4U, &to};
    };
    const std::tuple<std::string_view, Kind, std::uint32_t, std::uint32_t*> wanted[] = {
        of_u32("height", points.height),
        of_u32("width", points.width),
        of_u32("point_step", points.point_step),
        of_u32("row_step", points.row_step),
        {"is_bigendian", Kind::scalar, 1, &points.is_bigendian},
        {"fields", Kind::list, 0, &points.fields},
        {"name", Kind::text, 0, &points.name},
        of_u32("offset", points.offset),
        {"datatype", Kind::scalar, 1, &points.datatype},
        of_u32("count", points.count),
    };
    for (const auto& [name, kind, width, to] : wanted)
      for (std::size_t i = 0; i < plan_.nodes.size() && *to == none; ++i)
        if (plan_.nodes[i].name == name && plan_.nodes[i].kind == kind &&
            (kind != Kind::scalar || plan_.nodes[i].width == width))
          *to = plan_.column_of[i];
    const auto level_of = [&](std::uint32_t number) {
      return number == none ? none : plan_.columns[number].level;
    };
    for (const auto number : {points.height, points.width, points.point_step, points.row_step,
                              points.is_bigendian, points.fields})
      if (level_of(number) != 0) throw std::invalid_argument("a plan of other points");
    for (const auto number : {points.name, points.offset, points.datatype, points.count})
      if (level_of(number) != plan_.columns[points.fields].child)
        throw std::invalid_argument("a plan of other points");
  }

  std::uint32_t column(std::size_t number, std::uint32_t level, const Column& column) {
    if (level == none) return none;
    const auto made = static_cast<std::uint32_t>(plan_.columns.size());
    plan_.columns.push_back(column);
    plan_.levels[level].push_back(made);
    return plan_.column_of[number] = made;
  }

  void flush(std::vector<Step>& made, Pending& pending) const {
    if (pending.parts.empty()) return;
    Step step{.op = Step::Op::run};
    step.run.leaves = std::move(pending.leaves);
    for (const auto& part : pending.parts)
      step.run.mask = std::max(step.run.mask, part.alignment - 1);
    for (std::uint32_t phase = 0; phase <= step.run.mask; ++phase) {
      std::uint64_t at = phase;
      for (const auto& [alignment, size, is_leaf] : pending.parts) {
        at += -at & (alignment - 1);
        if (is_leaf)
          step.run.by_phase[phase].leaves.push_back(static_cast<std::uint32_t>(at - phase));
        at += size;
        if (at > largest_run) throw std::length_error("a message with more than 1 GiB in arrays");
      }
      step.run.by_phase[phase].size = static_cast<std::uint32_t>(at - phase);
    }
    made.push_back(std::move(step));
    pending = {};
  }

  Plan& plan_;
  std::size_t at_ = 0;
};

}  // namespace

Plan::Plan(std::vector<Node> all, std::uint32_t largest_alignment, bool with_header)
    : nodes(std::move(all)), largest(largest_alignment), headed(with_header) {
  if (largest != 1 && largest != 8) throw std::invalid_argument("a plan of another alignment");
  Builder(*this).build();
}

}  // namespace wirecost::arrow
