// SPDX-License-Identifier: Apache-2.0
#include "wirecost/cloud/packed/packer.hpp"

#include "wirecost/cloud/packed/classes.hpp"
#include "wirecost/cloud/packed/cones.hpp"
#include "wirecost/cloud/packed/form.hpp"
#include "wirecost/cloud/packed/grid.hpp"
#include "wirecost/cloud/packed/lags.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace wirecost::cloud {
namespace {

using namespace packed;

constexpr std::size_t none = ~std::size_t{0};
/// Names that drivers give to the number of a beam.
constexpr std::array<std::string_view, 5> beam_names{"ring", "channel", "line", "laser_id", "beam"};
/// Steps on which floats often are: counts, and decimals.
constexpr std::array<double, 5> usual_steps{1, 0.5, 0.1, 0.01, 0.001};
/// One in so many may be off an exact grid.
constexpr std::size_t rarely = 64;
constexpr std::size_t tried_first = 256;
/// Points of a beam that its slope is learnt from, about.
constexpr std::size_t learnt_from = 64;

template <class Value>
Value read(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Values that lie `step` bytes apart. Four at a time, as compilers leave such loops.
template <class Value>
void copy(const std::byte* from, std::size_t step, std::span<Value> to) {
  std::size_t at = 0;
  for (; at + 4 <= to.size(); at += 4, from += 4 * step) {
    const Value four[]{read<Value>(from), read<Value>(from + step), read<Value>(from + 2 * step),
                       read<Value>(from + 3 * step)};
    std::memcpy(&to[at], four, sizeof four);
  }
  for (; at < to.size(); ++at, from += step) to[at] = read<Value>(from);
}

/// Unsigned ones of four bytes wrap.
template <class Value>
std::int32_t widened(Value value) {
  if constexpr (std::is_same_v<Value, std::int8_t>)
    return (static_cast<std::uint8_t>(value) ^ 0x80) - 0x80;
  else
    return static_cast<std::int32_t>(value);
}

std::int64_t bits_of(float value) { return order_of(value); }
std::int64_t bits_of(double value) { return ordered(std::bit_cast<std::int64_t>(value)); }

/// Call with a value of the field's type.
template <class Call>
void with_type(Type type, Call call) {
  switch (type) {
    case Type::i8: return call(std::int8_t{});
    case Type::u8: return call(std::uint8_t{});
    case Type::i16: return call(std::int16_t{});
    case Type::u16: return call(std::uint16_t{});
    case Type::i32: return call(std::int32_t{});
    case Type::u32: return call(std::uint32_t{});
    case Type::f32: return call(float{});
    case Type::f64: return call(double{});
  }
}

}  // namespace

bool Packer::Column::is_wide() const { return field->type == Type::f64 && step == 0; }

Packer::Packer(std::vector<Precision> precisions, Effort effort)
    : precisions_(std::move(precisions)), effort_(effort) {
  if (effort_ == Effort::quick) streams_.use_groups();
  for (const Precision& precision : precisions_)
    if (!(precision.error >= 0) || std::isinf(precision.error))
      throw std::invalid_argument("packed cloud: the error of " + precision.field +
                                  " is negative or no number");
}

std::span<const std::byte> Packer::pack(const CloudView& cloud) {
  load(cloud);
  lags_.clear();
  if (effort_ == Effort::quick)
    choose_lags();
  else
    choose_order();
  out_.clear();
  out_.number(magic);
  for (const std::uint32_t each : {cloud.height, cloud.width, cloud.point_step}) out_.varint(each);
  out_.varint(cloud.fields.size());
  for (const Field& field : cloud.fields) {
    out_.text(field.name);
    out_.varint(field.offset);
    out_.number(field.type);
    out_.varint(field.count);
  }
  if (!lags_.empty()) {
    out_.number(Order::lags);
    out_.bytes(std::as_bytes(std::span(lags_)));
  } else if (beams_.are_there()) {
    out_.number(Order::beams);
    out_.bytes(order_.bytes());
  } else {
    out_.number(Order::own);
  }
  for (std::size_t at = 0; at < column_count_; ++at) put(at);
  return out_.bytes();
}

void Packer::load(const CloudView& cloud) {
  points_ = points(cloud);
  if (cloud.fields.size() > most_fields) refuse("more than 256 fields");
  if (points_.count > most_points) refuse("more than 2^31 points");
  std::size_t count = 0, bytes = 0;
  for (const Field& field : cloud.fields) {
    const auto type = static_cast<std::uint8_t>(field.type);
    if (type < 1 || type > 8) refuse("a field has a type that no PointField has");
    if (field.name.size() > longest_name) refuse("a field's name has more than 255 bytes");
    if (field.count == 0 || field.offset > points_.step ||
        (points_.step - field.offset) / size_of(field.type) < field.count)
      refuse("a field does not lie within a point");
    count += field.count;
    bytes += field.count * size_of(field.type);
  }
  if (bytes > most_overlap * points_.step) refuse("too many fields lie over others");
  for (const Precision& precision : precisions_)
    if (std::ranges::none_of(cloud.fields, [&](const Field& field) {
          return field.name == precision.field && is_float(field.type);
        }))
      throw std::invalid_argument("packed cloud: no field of floats is named " + precision.field +
                                  ", of which an error is given");
  if (columns_.size() < count) columns_.resize(count);
  column_count_ = 0;
  for (const Field& field : cloud.fields)
    for (std::uint32_t each = 0; each < field.count; ++each) {
      Column& column = columns_[column_count_++];
      column.field = &field;
      column.offset = field.offset + each * size_of(field.type);
      load(column);
    }
}

void Packer::load(Column& column) {
  with_type(column.field->type, [&]<class Value>(Value) { load_as<Value>(column); });
}

template <class Value>
void Packer::load_as(Column& column) {
  const std::size_t count = points_.count, step = points_.step;
  column.step = 0;
  column.exceptions.clear();
  column.excepted.clear();
  column.values.resize(count);
  column.is_constant = true;
  if (count == 0) return;
  const std::byte* first = points_.first + column.offset;
  for (std::size_t at = 1; at < count && column.is_constant; ++at)
    column.is_constant = std::memcmp(first, first + at * step, sizeof(Value)) == 0;
  if (column.is_constant) return;
  if constexpr (std::is_floating_point_v<Value>) {
    auto& floats = [&]() -> auto& {
      if constexpr (sizeof(Value) == 4)
        return effort_ == Effort::quick ? floats_ : column.floats;
      else
        return doubles_;
    }();
    floats.resize(count);
    copy(first, step, std::span(floats));
    const auto precision = std::ranges::find(precisions_, column.field->name, &Precision::field);
    const double error = precision == precisions_.end() ? 0 : precision->error;
    const std::span<const Value> values = floats;
    if (error > 0) {
      // What rounding to the field's type adds.
      const double rounding = largest(values) * (sizeof(Value) == 4 ? 0x1p-24 : 0x1p-53);
      if (place_on_grid(column, values, 2 * (error - std::min(rounding, error / 8)), error)) return;
    } else {
      for (const double usual : usual_steps)
        if (place_on_grid(column, values, usual, 0)) return;
    }
    if constexpr (sizeof(Value) == 4)
      for (std::size_t at = 0; at < count; ++at) column.values[at] = order_of(floats[at]);
  } else {
    for (std::size_t at = 0; at < count; ++at)
      column.values[at] = widened(read<Value>(first + at * step));
  }
}

/// Whether most values are on the grid, with at most that error. With 0, bit for bit.
template <class Value>
bool Packer::place_on_grid(Column& column, std::span<const Value> values, double step,
                           double error) {
  const std::size_t most = values.size() / (error > 0 ? 4 : rarely);
  if (error == 0) {
    // Few clouds are on a grid by chance.
    const auto some = values.first(std::min(values.size(), tried_first));
    if (place(some, step, error, column.values.data()) > some.size() / 4) return false;
  }
  const std::size_t off = place(values, step, error, column.values.data());
  if (off > most) return false;
  column.step = step;
  std::int32_t former = 0;
  for (std::size_t at = 0; at < values.size() && column.exceptions.size() < off; ++at) {
    std::int32_t& number = column.values[at];
    if (is_near(values[at], step, error, number)) {
      former = number;
      continue;
    }
    number = former;
    column.exceptions.push_back(static_cast<std::uint32_t>(at));
    column.excepted.push_back(bits_of(values[at]));
  }
  return true;
}

std::size_t Packer::index_of(std::string_view name) const {
  for (std::size_t at = 0; at < column_count_; ++at)
    if (const Column& column = columns_[at]; column.field->name == name &&
                                             column.field->type == Type::f32 &&
                                             column.field->count == 1 && !column.is_constant)
      return at;
  return none;
}

bool Packer::find_beams() {
  beam_column_ = none;
  for (std::size_t at = 0; at < column_count_; ++at)
    if (const Column& column = columns_[at];
        std::ranges::find(beam_names, column.field->name) != beam_names.end() &&
        !is_float(column.field->type) && column.field->count == 1 && !column.is_constant &&
        beams_.from(column.values)) {
      beam_column_ = at;
      return true;
    }
  if (std::ranges::find(place_, none) != place_.end()) return false;
  return beams_.find(columns_[place_[0]].floats, columns_[place_[1]].floats,
                     columns_[place_[2]].floats);
}

void Packer::choose_order() {
  place_ = {index_of("x"), index_of("y"), index_of("z")};
  has_cones_ = false;
  const bool found = find_beams();
  double own = 0, by_beam = 0;
  for (std::size_t at = 0; at < column_count_; ++at) {
    Column& column = columns_[at];
    if (column.is_constant || column.is_wide()) continue;
    column.own = chosen(column.values);
    if (!found) continue;
    own += column.own.bits;
    if (at == beam_column_) continue;
    column.sorted.resize(points_.count);
    for (std::size_t each = 0; each < points_.count; ++each)
      column.sorted[each] = column.values[beams_.places()[each]];
    column.by_beam = chosen(column.sorted);
    if (at == place_[2]) column.by_beam.bits = std::min(column.by_beam.bits, cone_bits());
    by_beam += std::min(column.own.bits, column.by_beam.bits);
  }
  if (found) {
    order_.clear();
    beams_.encode(streams_, order_);
    by_beam += 8.0 * static_cast<double>(order_.size());
  }
  if (!found || by_beam >= own) {
    beams_.none(points_.count);
    beam_column_ = none;
    has_cones_ = false;
  }
}

/// Lags by x and y, or else by the first two columns that have numbers.
void Packer::choose_lags() {
  beams_.none(0);
  beam_column_ = none;
  has_cones_ = false;
  std::array<std::size_t, 2> judged{index_of("x"), index_of("y")};
  if (std::ranges::find(judged, none) != judged.end()) {
    judged = {none, none};
    for (std::size_t at = 0; at < column_count_ && judged[1] == none; ++at)
      if (columns_[at].has_numbers()) (judged[0] == none ? judged[0] : judged[1]) = at;
    if (judged[1] == none) judged[1] = judged[0];
  }
  if (judged[0] == none) return;
  find_lags(columns_[judged[0]].values, columns_[judged[1]].values, lags_);
  streams_.set_lags(lags_);
  for (std::size_t at = 0; at < column_count_; ++at)
    if (Column& column = columns_[at]; column.has_numbers())
      column.own = {chosen_in_groups(column.values, lags_), 0};
}

/// The height of a beam's points for each unit of distance from the axis, learnt from some of them.
double Packer::slope_of(std::size_t beam) const {
  const std::size_t begin = beams_.begin(beam), end = beams_.begin(beam + 1);
  double up = 0, out = 0;
  for (std::size_t at = begin; at < end;
       at += std::max<std::size_t>(1, (end - begin) / learnt_from)) {
    const std::size_t point = beams_.places()[at];
    const double x = columns_[place_[0]].floats[point], y = columns_[place_[1]].floats[point];
    const double squared = x * x + y * y;
    const double lifted = std::sqrt(squared) * columns_[place_[2]].floats[point];
    if (!std::isfinite(squared + lifted)) continue;
    up += lifted;
    out += squared;
  }
  return out > 0 ? up / out : 0;
}

/// What heights take beside those of cones; `has_cones_`: less than without.
double Packer::cone_bits() {
  const auto [ix, iy, iz] = place_;
  Column& column = columns_[iz];
  if (ix >= iz || iy >= iz) return column.by_beam.bits;
  const Side x{columns_[ix].sorted, columns_[ix].step}, y{columns_[iy].sorted, columns_[iy].step};
  slopes_.resize(beams_.count());
  heights_.resize(points_.count);
  beside_cones_.resize(points_.count);
  for (std::size_t beam = 0; beam < beams_.count(); ++beam) {
    slopes_[beam] = slope_of(beam) / (column.step > 0 ? column.step : 1);
    heights(x, y, slopes_[beam], column.step > 0, beams_.begin(beam), beams_.begin(beam + 1),
            heights_.data() + beams_.begin(beam));
  }
  for (std::size_t at = 0; at < points_.count; ++at)
    beside_cones_[at] = folded(static_cast<std::int32_t>(
        static_cast<std::uint32_t>(column.sorted[at]) - static_cast<std::uint32_t>(heights_[at])));
  const double bits = estimated_bits(counted(beside_cones_));
  has_cones_ = bits < column.by_beam.bits;
  return bits;
}

void Packer::put(std::size_t index) {
  const Column& column = columns_[index];
  const auto mode = [&](Mode mode, bool is_sorted = false) {
    out_.number(
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(mode) | (is_sorted ? sorted_flag : 0)));
  };
  if (column.is_constant) {
    mode(Mode::constant);
    if (points_.count) out_.bytes({points_.first + column.offset, size_of(column.field->type)});
    return;
  }
  if (index == beam_column_) return mode(Mode::beam);
  if (column.is_wide()) {
    mode(Mode::wide);
    return put_wide(column);
  }
  const bool is_cone = has_cones_ && index == place_[2];
  const bool is_side = has_cones_ && (index == place_[0] || index == place_[1]);
  const bool is_sorted =
      beams_.are_there() && (is_cone || is_side || column.by_beam.bits < column.own.bits);
  if (column.step > 0) {
    mode(is_cone ? Mode::cone : Mode::grid, is_sorted);
    put_grid(column);
  } else {
    mode(is_cone ? Mode::exact_cone : Mode::integers, is_sorted);
  }
  if (is_cone) {
    out_.varint(place_[0]);
    out_.varint(place_[1]);
    for (const double slope : slopes_) out_.number(slope);
    return streams_.encode_small(beside_cones_, out_);
  }
  streams_.encode(is_sorted ? column.sorted : column.values,
                  is_sorted ? column.by_beam.beside : column.own.beside, out_);
}

void Packer::put_grid(const Column& column) {
  out_.number(column.step);
  out_.varint(column.exceptions.size());
  if (column.exceptions.empty()) return;
  gaps_.clear();
  std::uint32_t next = 0;
  for (const std::uint32_t at : column.exceptions) {
    gaps_.push_back(at - next);
    next = at + 1;
  }
  streams_.encode_small(gaps_, out_);
  streams_.encode(std::span<const std::int64_t>(column.excepted), out_);
}

void Packer::put_wide(const Column& column) {
  wide_.resize(points_.count);
  const std::byte* first = points_.first + column.offset;
  for (std::size_t at = 0; at < wide_.size(); ++at)
    wide_[at] = ordered(read<std::int64_t>(first + at * points_.step));
  streams_.encode(std::span<const std::int64_t>(wide_), out_);
}

}  // namespace wirecost::cloud
