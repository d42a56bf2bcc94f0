// SPDX-License-Identifier: Apache-2.0
// Executions and waits, grouped by what all of a group have in common, so that a row is small.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace wirecost::ctf {

struct Row {
  std::int64_t begin_ns, end_ns;
  std::uint64_t loop;
  std::uint64_t message;
};

/// What the rows of a group share. `parent`: a section + 1, 0: none.
struct Group {
  std::uint32_t section, parent, thread;
  std::uint8_t kind, depth;

  auto operator<=>(const Group&) const = default;
};

/// Rows in blocks that double up to a size, so that growing copies nothing.
class Rows {
 public:
  void add(const Row& row) {
    if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) grow();
    blocks_.back().push_back(row);
    ++count_;
  }
  std::size_t count() const { return count_; }
  const std::vector<std::vector<Row>>& blocks() const { return blocks_; }

 private:
  void grow() {
    blocks_.emplace_back();
    blocks_.back().reserve(std::size_t{8} << std::min<std::size_t>(blocks_.size() - 1, 12));
  }

  std::vector<std::vector<Row>> blocks_;
  std::size_t count_ = 0;
};

class ExecutionRows {
 public:
  static constexpr std::size_t most_rows = std::size_t{1} << 25;
  static constexpr std::size_t most_sections = std::size_t{1} << 16;
  static constexpr std::size_t most_groups = std::size_t{1} << 17;

  /// The number of a section. Beyond the most, all others are one.
  std::uint32_t section(const std::string& name);

  void add(const Group& group, const Row& row) {
    ++count_;
    groups_[group].add(row);
  }

  std::size_t count() const { return count_; }
  bool full() const { return count_ >= most_rows || groups_.size() >= most_groups; }
  const std::vector<std::string>& names() const { return names_; }
  const std::map<Group, Rows>& groups() const { return groups_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::map<Group, Rows> groups_;
  std::size_t count_ = 0;
};

}  // namespace wirecost::ctf
