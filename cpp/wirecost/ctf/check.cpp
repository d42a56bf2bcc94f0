// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <bit>

namespace wirecost::ctf {
namespace {

constexpr std::uint32_t deepest = 32;
constexpr std::uint32_t largest_alignment = 1U << 20;

class Check {
 public:
  explicit Check(const Layout& layout) : layout_(layout), depths_(layout.steps.size(), 0) {}

  bool all() {
    for (std::uint32_t i = 0; i < layout_.steps.size(); ++i)
      if (!step(i)) return false;
    if (!lies(layout_.packet_header)) return false;
    return std::ranges::all_of(layout_.streams, [&](const auto& entry) {
      const StreamLayout& stream = entry.second;
      return lies(stream.packet_context) && lies(stream.event_header) &&
             lies(stream.event_context) &&
             std::ranges::all_of(stream.events, [&](const auto& event) {
               return lies(event.second.context) && lies(event.second.fields);
             });
    });
  }

 private:
  bool lies(Range range) const {
    return range.first <= range.last && range.last <= layout_.steps.size();
  }

  static bool is_slot(std::int32_t slot, std::int32_t end) { return slot >= 0 && slot < end; }

  /// Whose value is kept: what a list is made of.
  bool is_integer(std::uint32_t at) const {
    return layout_.steps[at].op == Op::integer && is_slot(layout_.steps[at].slot, slots);
  }

  /// A body lies before the step that repeats or chooses it.
  bool body(std::uint32_t at, Range range) {
    if (!lies(range) || range.last > at) return false;
    for (std::uint32_t i = range.first; i != range.last; ++i)
      depths_[at] = std::max(depths_[at], depths_[i] + 1);
    return depths_[at] < deepest;
  }

  bool step(std::uint32_t at) {
    const Step& one = layout_.steps[at];
    if (!std::has_single_bit(one.align) || one.align > largest_alignment) return false;
    switch (one.op) {
      case Op::integer:
        return one.size >= 1 && one.size <= 64 && (one.slot == -1 || is_slot(one.slot, slots));
      case Op::skip: return one.size <= 64;
      case Op::text:
      case Op::characters: return one.slot == -1 || is_slot(one.slot, text_slots);
      case Op::array: return one.slot == -1 && body(at, {one.first, one.last});
      case Op::sequence:
        return is_slot(one.from, slots) && body(at, {one.first, one.last}) &&
               (one.slot == -1 || (is_slot(one.slot, list_slots) && is_integer(one.first)));
      case Op::variant:
        return is_slot(one.from, slots) && one.first <= one.last &&
               one.last <= layout_.options.size() &&
               std::all_of(layout_.options.begin() + one.first, layout_.options.begin() + one.last,
                           [&](const Option& option) { return body(at, option.steps); });
      case Op::align: return true;
    }
    return false;
  }

  const Layout& layout_;
  std::vector<std::uint32_t> depths_;
};

}  // namespace

bool is_sound(const Layout& layout) { return Check(layout).all(); }

}  // namespace wirecost::ctf
