// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/unpacker.hpp"

#include "wirecost/cloud/packed/cones.hpp"
#include "wirecost/cloud/packed/form.hpp"
#include "wirecost/cloud/packed/groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace wirecost::cloud {

using namespace packed;

const PackedLayout& Unpacker::read(std::span<const std::byte> packed) {
  in_ = ByteReader(packed);
  layout_ = {};
  if (in_.left() < sizeof magic || in_.number<std::uint32_t>() != magic)
    refuse("does not begin with WPC1");
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  layout_.height = static_cast<std::uint32_t>(in_.count(most));
  layout_.width = static_cast<std::uint32_t>(in_.count(most));
  layout_.point_step = static_cast<std::uint32_t>(in_.count(most));
  const std::uint64_t points = std::uint64_t{layout_.height} * layout_.width;
  if (points > most_points) refuse("more than 2^31 points");
  if (points > 0 && layout_.point_step == 0) refuse("points of no bytes");
  layout_.bytes = static_cast<std::size_t>(points * layout_.point_step);
  count_ = static_cast<std::size_t>(points);
  std::size_t bytes = 0;
  for (std::size_t left = in_.count(most_fields); left > 0; --left) {
    const auto name = in_.take(in_.count(longest_name));
    Field field{{reinterpret_cast<const char*>(name.data()), name.size()}, 0, Type::i8};
    field.offset = static_cast<std::uint32_t>(in_.count(layout_.point_step));
    const auto type = in_.number<std::uint8_t>();
    if (type < 1 || type > 8) refuse("no such type");
    field.type = static_cast<Type>(type);
    const std::size_t room = (layout_.point_step - field.offset) / size_of(field.type);
    field.count = static_cast<std::uint32_t>(in_.count(room));
    if (field.count == 0) refuse("a field without values");
    bytes += field.count * size_of(field.type);
    layout_.fields.push_back(field);
  }
  if (bytes > most_overlap * layout_.point_step) refuse("too many fields lie over others");
  return layout_;
}

void Unpacker::unpack(std::span<std::byte> into) {
  if (into.size() != layout_.bytes) refuse("given memory has not the size of the points");
  const auto order = in_.number<std::uint8_t>();
  if (order >= order_count) refuse("no such order");
  beams_.none(0);
  std::span<const std::byte> lags;
  if (static_cast<Order>(order) == Order::beams) beams_.decode(streams_, in_, count_);
  if (static_cast<Order>(order) == Order::lags) {
    lags = in_.take(block_count(count_));
    if (std::ranges::any_of(lags, [](std::byte lag) { return std::uint8_t(lag) < least_lag; }))
      refuse("a lag is shorter than a group");
  }
  streams_.set_lags({reinterpret_cast<const std::uint8_t*>(lags.data()), lags.size()});
  std::ranges::fill(into, std::byte{0});
  std::size_t columns = 0;
  for (const Field& field : layout_.fields) columns += field.count;
  // Each has a byte at least: few bytes cannot ask for the memory of many columns.
  if (columns > in_.left()) refuse("ends too early");
  columns_.resize(std::max(columns_.size(), columns));
  for (Column& column : columns_) column.is_there = false;
  std::size_t index = 0;
  for (const Field& field : layout_.fields)
    for (std::uint32_t each = 0; each < field.count; ++each) {
      const std::size_t offset = field.offset + each * size_of(field.type);
      unpack_column(field, index++, count_ > 0 ? into.data() + offset : nullptr);
    }
  if (in_.left()) refuse("bytes behind the last field");
}

template <class Value, class Values>
void Unpacker::write(const Values& value, bool is_sorted, std::byte* to) const {
  const std::size_t step = layout_.point_step;
  const auto put = [&](std::size_t place, std::size_t at) {
    const auto each = static_cast<Value>(value(at));
    std::memcpy(to + place * step, &each, sizeof each);
  };
  if (is_sorted)
    for (std::size_t at = 0; at < count_; ++at) put(beams_.places()[at], at);
  else
    for (std::size_t at = 0; at < count_; ++at) put(at, at);
}

void Unpacker::unpack_column(const Field& field, std::size_t index, std::byte* to) {
  const auto byte = in_.number<std::uint8_t>();
  const bool is_sorted = byte & sorted_flag;
  const auto mode = static_cast<std::uint8_t>(byte & ~sorted_flag);
  if (mode >= mode_count) refuse("no such mode");
  if (is_sorted && !beams_.are_there()) refuse("sorted by beams that are not there");
  switch (static_cast<Mode>(mode)) {
    case Mode::constant: return constant(size_of(field.type), to);
    case Mode::beam:
      if (!beams_.are_there() || size_of(field.type) > 4 || is_float(field.type))
        refuse("beams that are not there");
      for (std::size_t at = 0; at < count_; ++at, to += layout_.point_step)
        *to = static_cast<std::byte>(beams_.of(at));  // higher bytes are zero
      return;
    case Mode::wide:
      if (field.type != Type::f64) refuse("eight bytes of a field that has fewer");
      return wide(is_sorted, to);
    default: {
      // Only floats are read beside.
      Column& column = field.type == Type::f32 ? columns_[index] : other_;
      column.is_sorted = is_sorted;
      narrow(field.type, column, mode, to);
      column.is_there = field.type == Type::f32;
    }
  }
}

void Unpacker::constant(std::size_t size, std::byte* to) {
  if (count_ == 0) return;
  const auto value = in_.take(size);
  const auto fill = [&]<class Value>(Value each) {
    std::memcpy(&each, value.data(), sizeof each);
    write<Value>([=](std::size_t) { return each; }, false, to);
  };
  if (size == 1)
    fill(std::uint8_t{});
  else if (size == 2)
    fill(std::uint16_t{});
  else if (size == 4)
    fill(std::uint32_t{});
  else
    fill(std::uint64_t{});
}

void Unpacker::wide(bool is_sorted, std::byte* to) {
  wide_.resize(count_);
  streams_.decode(in_, std::span(wide_));
  write<std::int64_t>([&](std::size_t at) { return ordered(wide_[at]); }, is_sorted, to);
}

void Unpacker::narrow(Type type, Column& column, std::uint8_t mode, std::byte* to) {
  const bool is_cone = mode == static_cast<std::uint8_t>(Mode::cone) ||
                       mode == static_cast<std::uint8_t>(Mode::exact_cone);
  const bool is_grid = mode == static_cast<std::uint8_t>(Mode::grid) ||
                       mode == static_cast<std::uint8_t>(Mode::cone);
  if (is_cone && type != Type::f32) refuse("heights that are no float");
  if (is_grid && !is_float(type)) refuse("a grid of integers");
  if (!is_grid && type == Type::f64) refuse("four bytes of a field that has eight");
  column.step = is_grid ? in_.number<double>() : 0;
  if (is_grid && !(column.step > 0 && std::isfinite(column.step))) refuse("a step is no number");
  gaps_.clear();
  if (is_grid) read_exceptions();
  column.values.resize(count_);
  if (is_cone)
    cones(column);
  else
    streams_.decode(in_, std::span(column.values));
  const std::int32_t* values = column.values.data();
  const double step = column.step;
  switch (is_grid || type == Type::f32 ? type : Type::u32) {
    case Type::f64:
      write<double>([=](std::size_t at) { return values[at] * step; }, column.is_sorted, to);
      break;
    case Type::f32:
      if (is_grid)
        write<float>([=](std::size_t at) { return static_cast<float>(values[at] * step); },
                     column.is_sorted, to);
      else
        write<std::int32_t>([=](std::size_t at) { return ordered(values[at]); }, column.is_sorted,
                            to);
      break;
    default:
      const auto value = [=](std::size_t at) { return values[at]; };
      if (size_of(type) == 1)
        write<std::int8_t>(value, column.is_sorted, to);
      else if (size_of(type) == 2)
        write<std::int16_t>(value, column.is_sorted, to);
      else
        write<std::int32_t>(value, column.is_sorted, to);
  }
  std::size_t at = 0;
  for (std::size_t each = 0; each < gaps_.size(); ++each, ++at) {
    at += gaps_[each];
    if (at >= count_) refuse("an exception behind the last point");
    std::byte* place = to + at * layout_.point_step;
    const std::int64_t wide = ordered(excepted_[each]);
    const std::int32_t bits = ordered(static_cast<std::int32_t>(excepted_[each]));
    if (type == Type::f64)
      std::memcpy(place, &wide, sizeof wide);
    else
      std::memcpy(place, &bits, sizeof bits);
  }
}

void Unpacker::read_exceptions() {
  const std::size_t count = in_.count(count_);
  if (count == 0) return;
  gaps_.resize(count);
  excepted_.resize(count);
  streams_.decode_small(in_, gaps_);
  streams_.decode(in_, std::span(excepted_));
}

const Unpacker::Column& Unpacker::side(std::size_t index) const {
  if (index >= columns_.size() || !columns_[index].is_there || !columns_[index].is_sorted)
    refuse("heights beside a column that is not there");
  return columns_[index];
}

void Unpacker::cones(Column& column) {
  if (!column.is_sorted) refuse("heights of points that are not sorted by beam");
  const Column& first = side(in_.count(columns_.size()));
  const Column& second = side(in_.count(columns_.size()));
  const Side x{first.values, first.step}, y{second.values, second.step};
  const auto slopes = in_.take(beams_.count() * sizeof(double));
  beside_cones_.resize(count_);
  streams_.decode_small(in_, beside_cones_);
  for (std::size_t beam = 0; beam < beams_.count(); ++beam) {
    double slope;
    std::memcpy(&slope, slopes.data() + beam * sizeof slope, sizeof slope);
    heights(x, y, slope, column.step > 0, beams_.begin(beam), beams_.begin(beam + 1),
            column.values.data() + beams_.begin(beam));
  }
  for (std::size_t at = 0; at < count_; ++at)
    column.values[at] =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(column.values[at]) +
                                  static_cast<std::uint32_t>(unfolded(beside_cones_[at])));
}

}  // namespace wirecost::cloud
