// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/messages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "wirecost/arrow/batch.hpp"

namespace wirecost::arrow {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::array<std::uint8_t, 4> header{0, 1, 0, 0};
constexpr std::int64_t second_ns = 1'000'000'000;

std::size_t product(std::size_t left, std::size_t right) {
  std::size_t result = 0;
  if (__builtin_mul_overflow(left, right, &result))
    throw std::invalid_argument("a column of too many values");
  return result;
}

template <std::size_t size>
void copy(std::uint8_t* to, const std::byte* from) {
  std::memcpy(to, from, size);
}

class Writer {
 public:
  Writer(const Plan& plan, std::span<const ColumnValues> by_node, std::size_t rows)
      : plan_(plan), columns_(plan.columns.size()), counts_(plan.levels.size()) {
    if (by_node.size() != plan.nodes.size()) throw std::invalid_argument("columns of another plan");
    counts_[0] = rows;
    // A list comes before its elements, whose number it has.
    for (std::size_t node = 0; node < by_node.size(); ++node) {
      const std::uint32_t column = plan.column_of[node];
      if (column == none) continue;
      columns_[column] = by_node[node];
      check(plan.columns[column], by_node[node], plan.nodes[node].name);
    }
  }

  WrittenMessages write(std::size_t first, std::size_t most_bytes) {
    for (std::size_t row = first; row < counts_[0] && out_.memory.size() < most_bytes; ++row) {
      if (plan_.headed) out_.memory.insert(out_.memory.end(), header.begin(), header.end());
      begin_ = out_.memory.size();
      steps(plan_.steps, row);
      // ROS 2 has no message without a byte.
      if (plan_.headed && plan_.steps.empty()) extend(1);
      out_.ends.push_back(out_.memory.size());
    }
    return std::move(out_);
  }

 private:
  void check(const Column& column, const ColumnValues& given, const std::string& name) {
    const std::size_t rows = counts_[column.level];
    if (column.kind == Kind::recorded) return;
    if (column.kind == Kind::array) {
      counts_[column.child] = product(rows, column.count);
    } else if (!has_offsets(column.kind)) {
      require(given.values.size() == product(product(rows, column.width), column.count), name);
    } else {
      require(column.kind != Kind::points, name);
      require(given.begins.size() == rows + 1 && given.begins[0] == 0 &&
                  std::ranges::is_sorted(given.begins),
              name);
      const auto end = static_cast<std::size_t>(given.begins[rows]);
      if (column.kind == Kind::list)
        counts_[column.child] = end;
      else
        require(given.values.size() == product(end, column.width), name);
    }
  }

  static void require(bool agrees, const std::string& name) {
    if (!agrees) throw std::invalid_argument(name + ": a column of another size");
  }

  void steps(const std::vector<Step>& steps, std::size_t row) {
    for (const Step& each : steps) step(each, row);
  }

  void step(const Step& step, std::size_t row) {
    switch (step.op) {
      case Step::Op::run: return run(step.run, row, 1);
      case Step::Op::text: return text(step, row);
      case Step::Op::sequence: return sequence(step, row);
      case Step::Op::elements: return elements(step, row);
      case Step::Op::points: throw std::invalid_argument("points are no bytes of a message");
    }
  }

  void run(const Run& run, std::size_t first, std::size_t count) {
    for (std::size_t row = first; row < first + count; ++row) {
      const Run::Distances& distances = run.by_phase[at() & run.mask];
      std::uint8_t* const to = extend(distances.size);
      for (std::size_t i = 0; i < run.leaves.size(); ++i)
        leaf(run.leaves[i], row, to + distances.leaves[i]);
    }
  }

  void leaf(const Leaf& leaf, std::size_t row, std::uint8_t* to) {
    const std::byte* const values = columns_[leaf.column].values.data();
    if (leaf.kind == Kind::time) return time(leaf, values + row * sizeof(std::int64_t), to);
    const std::size_t size = leaf.width * leaf.count;
    const std::byte* const from = values + row * size;
    switch (size) {
      case 1: return copy<1>(to, from);
      case 2: return copy<2>(to, from);
      case 4: return copy<4>(to, from);
      case 8: return copy<8>(to, from);
      default: std::memcpy(to, from, size);
    }
  }

  void time(const Leaf& leaf, const std::byte* from, std::uint8_t* to) const {
    std::int64_t time = 0;
    std::memcpy(&time, from, sizeof time);
    const bool is_before = time % second_ns < 0;
    const std::int64_t seconds = time / second_ns - (is_before ? 1 : 0);
    const std::int64_t rest = time % second_ns + (is_before ? second_ns : 0);
    const bool fits = (leaf.count & signed_seconds) != 0
                          ? seconds == static_cast<std::int32_t>(seconds)
                          : seconds == static_cast<std::uint32_t>(seconds);
    if (!fits) throw std::out_of_range(name_of(leaf.column) + ": a time beyond its 32 bits");
    const std::array<std::uint32_t, 2> parts{static_cast<std::uint32_t>(seconds),
                                             static_cast<std::uint32_t>(rest)};
    std::memcpy(to, parts.data(), sizeof parts);
  }

  void text(const Step& step, std::size_t row) {
    const auto [begin, size] = part(step, row);
    length(step, size + (plan_.headed ? 1 : 0));
    append(columns_[step.column].values.subspan(begin, size));
    if (plan_.headed) extend(1);
  }

  void sequence(const Step& step, std::size_t row) {
    const auto [begin, count] = part(step, row);
    length(step, count);
    if (count == 0) return;
    align(step.width);
    append(columns_[step.column].values.subspan(begin * step.width, count * step.width));
  }

  void elements(const Step& step, std::size_t row) {
    std::size_t first = row * step.count, count = step.count;
    if (step.counted) {
      const Part of_row = part(step, row);
      first = of_row.begin;
      count = of_row.count;
      length(step, count);
    }
    if (step.body.size() == 1 && step.body[0].op == Step::Op::run)
      return run(step.body[0].run, first, count);
    for (std::size_t i = 0; i < count; ++i) steps(step.body, first + i);
  }

  struct Part {
    std::size_t begin, count;
  };

  Part part(const Step& step, std::size_t row) const {
    if (step.column == none) throw std::invalid_argument("a list or text without a column");
    const std::span<const std::int64_t> begins = columns_[step.column].begins;
    return {static_cast<std::size_t>(begins[row]),
            static_cast<std::size_t>(begins[row + 1] - begins[row])};
  }

  void length(const Step& step, std::size_t count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw std::out_of_range(name_of(step.column) + ": a length beyond its 32 bits");
    align(sizeof(std::uint32_t));
    const auto on_wire = static_cast<std::uint32_t>(count);
    std::memcpy(extend(sizeof on_wire), &on_wire, sizeof on_wire);
  }

  void append(std::span<const std::byte> bytes) {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes.data());
    out_.memory.insert(out_.memory.end(), from, from + bytes.size());
  }

  void align(std::uint32_t width) { extend(-at() & (std::min(width, plan_.largest) - 1)); }

  /// Returns where `size` more bytes are, which are zeros.
  std::uint8_t* extend(std::size_t size) {
    const std::size_t before = out_.memory.size();
    out_.memory.resize(before + size);
    return out_.memory.data() + before;
  }

  std::size_t at() const { return out_.memory.size() - begin_; }

  std::string name_of(std::uint32_t column) const {
    const auto node = std::ranges::find(plan_.column_of, column) - plan_.column_of.begin();
    return plan_.nodes[static_cast<std::size_t>(node)].name;
  }

  const Plan& plan_;
  std::vector<ColumnValues> columns_;
  std::vector<std::size_t> counts_;  // rows of each level
  WrittenMessages out_;
  std::size_t begin_ = 0;  // of the message, behind its header
};

}  // namespace

WrittenMessages write_messages(const Plan& plan, std::span<const ColumnValues> by_node,
                               std::size_t rows, std::size_t first, std::size_t most_bytes) {
  return Writer(plan, by_node, rows).write(first, most_bytes);
}

}  // namespace wirecost::arrow
