// SPDX-License-Identifier: Apache-2.0
#include "wirecost/arrow/pass.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "wirecost/support.hpp"

namespace wirecost::arrow {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::size_t header = 4;
constexpr std::size_t padding = 3;  // bytes that DDS may add to a message
constexpr std::size_t near_points = 512;
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Places at equal distances.
struct Strided {
  const std::byte* first;
  std::size_t distance;
  const std::byte* operator[](std::size_t number) const { return first + number * distance; }
};

/// The same place in each of several messages.
struct Placed {
  const std::byte* const* messages;
  std::size_t at;
  const std::byte* operator[](std::size_t number) const { return messages[number] + at; }
};

/// Several places at equal distances in each of several messages.
struct Grouped {
  const std::byte* const* messages;
  std::size_t at, distance, each;
  const std::byte* operator[](std::size_t number) const {
    return messages[number / each] + at + number % each * distance;
  }
};

/// Values from places, to be one behind the other.
template <std::size_t size, class Places>
void gather(std::byte* to, Places from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * size, from[i], size);
}

template <std::size_t size>
void gather(std::byte* to, Grouped from, std::size_t count) {
  for (const std::byte* const* message = from.messages; count != 0; count -= from.each) {
    gather<size>(to, Strided{*message++ + from.at, from.distance}, from.each);
    to += from.each * size;
  }
}

template <class Places>
void gather(std::byte* to, Places from, std::size_t size, std::size_t count) {
  switch (size) {
    case 1: return gather<1>(to, from, count);
    case 2: return gather<2>(to, from, count);
    case 4: return gather<4>(to, from, count);
    case 8: return gather<8>(to, from, count);
    case 72: return gather<72>(to, from, count);  // covariances
    case 288: return gather<288>(to, from, count);
    default:
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * size, from[i], size);
  }
}

template <class Integer>
bool are_equal_ends(const std::byte* one, const std::byte* other, std::size_t size) {
  const auto differ = [&](std::size_t at) {
    Integer first, second;
    std::memcpy(&first, one + at, sizeof first);
    std::memcpy(&second, other + at, sizeof second);
    return first ^ second;
  };
  return (differ(0) | differ(size - sizeof(Integer))) == 0;
}

/// Compares bytes, mostly a length and a short text, for which a call takes longer than comparing.
bool are_equal(const std::byte* one, const std::byte* other, std::size_t size) {
  if (size >= 4 && size <= 8) return are_equal_ends<std::uint32_t>(one, other, size);
  if (size > 8 && size <= 16) return are_equal_ends<std::uint64_t>(one, other, size);
  return std::memcmp(one, other, size) == 0;
}

/// The same bytes several times.
void repeat(std::byte* to, const std::byte* from, std::size_t size, std::size_t count) {
  if (size == 0) return;
  std::memcpy(to, from, size);
  for (std::size_t done = 1; done < count; done *= 2)
    std::memcpy(to + done * size, to, std::min(done, count - done) * size);
}

template <class Integer>
void swap_each(std::byte* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Integer value;
    std::memcpy(&value, values + i * sizeof value, sizeof value);
    if constexpr (sizeof value == 2) value = __builtin_bswap16(value);
    if constexpr (sizeof value == 4) value = __builtin_bswap32(value);
    if constexpr (sizeof value == 8) value = __builtin_bswap64(value);
    std::memcpy(values + i * sizeof value, &value, sizeof value);
  }
}

void swap_bytes(std::byte* values, std::uint32_t width, std::size_t count) {
  switch (width) {
    case 2: return swap_each<std::uint16_t>(values, count);
    case 4: return swap_each<std::uint32_t>(values, count);
    case 8: return swap_each<std::uint64_t>(values, count);
    default: return;
  }
}

/// The bytes of the UTF-8 character that begins there, 0 if none does.
std::size_t character(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size)
    if (is_utf8(text.substr(0, size))) return size;
  return 0;
}

void append_mended(Buffer& to, std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = character(text);
    const std::string_view part = size != 0 ? text.substr(0, size) : replacement;
    std::memcpy(to.extend(part.size()), part.data(), part.size());
    text.remove_prefix(size != 0 ? size : 1);
  }
}

}  // namespace

Pass::Pass(std::shared_ptr<const Plan> plan)
    : plan_(std::move(plan)),
      header_(plan_->headed ? header : 0),
      capacities_(plan_->levels.size()),
      touched_(plan_->levels.size()) {
  take();
}

std::shared_ptr<Batch> Pass::take() {
  std::shared_ptr<Batch> full = std::move(batch_);
  batch_ = std::make_shared<Batch>(plan_);
  bytes_ = 0;
  for (std::uint32_t level = 0; level < plan_->levels.size(); ++level) {
    // The next rows need about as much memory as these did.
    const std::size_t rows = full ? std::max<std::size_t>(1, full->counts[level]) : 1;
    capacities_[level] = 0;
    ensure(level, rows);
  }
  for (std::size_t i = 0; i < plan_->columns.size(); ++i)
    if (has_offsets(plan_->columns[i].kind)) {
      batch_->columns[i].values.reserve(full ? full->columns[i].values.size() : 0);
      *(batch_->columns[i].ends() - 1) = 0;
    }
  if (!full) return full;
  for (std::size_t i = 0; i < plan_->columns.size(); ++i) {
    const Column& column = plan_->columns[i];
    const std::size_t rows = full->counts[column.level];
    ColumnData& data = full->columns[i];
    if (has_offsets(column.kind))
      data.offsets.resize((rows + 1) * sizeof(std::int64_t));
    else if (column.kind != Kind::array)
      data.values.resize(rows * column.width * column.count);
    data.offsets.fit();
    data.values.fit();
  }
  return full;
}

std::size_t Pass::add(const Messages& from, std::size_t most_rows, std::size_t most_bytes) {
  std::size_t number = 0;
  layout_.size = 0;
  while (number < from.begins.size()) {
    if (rows() >= most_rows || bytes_ >= most_bytes) break;
    if (layout_.size != 0) {
      const std::size_t fitting = (most_bytes - bytes_ - 1) / layout_.size + 1;
      const std::size_t count = alike(from, number, std::min(fitting, most_rows - rows()));
      add_alike(from.times.data() + number, count);
      number += count;
      if (count != 0) continue;
    }
    const std::uint64_t begin = from.begins[number], size = from.sizes[number];
    const std::int64_t time = from.times[number++];
    const std::size_t whole = from.memory.size();
    if (begin > whole || size > whole - begin) {
      ++losses_.damaged;
      continue;
    }
    carried_ = mended_ = pointless_ = unknown_ = 0;
    layout_.size = 0;
    if (!message(from.memory.subspan(begin, size), time)) {
      remove(0, plan_->columns.size(), {0, batch_->counts[0]});
      continue;
    }
    if (plan_->flat && mended_ == 0) {
      layout_.size = size;
      // The header is compared as well: it has the order of bytes.
      if (header_ != 0) layout_.same.push_back({-static_cast<std::ptrdiff_t>(header_), 2});
    }
    losses_.carried += carried_;
    losses_.mended += mended_;
    losses_.pointless += pointless_;
    losses_.unknown += unknown_;
    bytes_ += size + row_bytes_;
  }
  return number;
}

/// Finds the next messages that lie as the last one did: their places come into `alike_`.
std::size_t Pass::alike(const Messages& from, std::size_t first, std::size_t most) {
  const std::size_t last = std::min(from.begins.size(), first + std::min(most, alike_.size()));
  const std::size_t whole = from.memory.size(), size = layout_.size;
  std::size_t count = 0;
  for (std::size_t number = first; number < last; ++number) {
    const std::uint64_t begin = from.begins[number];
    if (from.sizes[number] != size || begin > whole || size > whole - begin) break;
    const std::byte* const data = from.memory.data() + begin + header_;
    if (!agrees(data)) break;
    alike_[count++] = data;
  }
  return count;
}

/// The same for elements of this size; the last one ends at `at_`.
std::size_t Pass::alike_elements(std::size_t size, std::size_t most) {
  most = std::min({most, alike_.size(), (size_ - at_) / size});
  std::size_t count = 0;
  while (count < most && agrees(data_ + (count + 1) * size)) {
    alike_[count] = data_ + (count + 1) * size;
    ++count;
  }
  return count;
}

bool Pass::agrees(const std::byte* data) const {
  return std::ranges::all_of(layout_.same, [&](const Layout::Bytes& bytes) {
    return are_equal(data + bytes.begin, data_ + bytes.begin, bytes.size);
  });
}

/// Adds the messages of `alike_`: each value is where the last message had it.
void Pass::add_alike(const std::int64_t* times, std::size_t count) {
  if (count == 0) return;
  const std::size_t row = batch_->counts[0];
  ensure(0, row + count);
  note_times(times, row, count);
  carried_ = 0;
  add_parts(row, count);
  losses_.carried += carried_;
  losses_.longer += layout_.is_longer ? count : 0;
  batch_->counts[0] += count;
  bytes_ += count * layout_.size;
}

/// Adds the values of `alike_` as rows that there is room for.
void Pass::add_parts(std::size_t row, std::size_t count) {
  for (const Layout::Part& part : layout_.parts) {
    const Step& step = *part.step;
    if (step.op == Step::Op::run) {
      const Run::Distances& distances = step.run.by_phase[part.begin & step.run.mask];
      for (std::size_t i = 0; i < step.run.leaves.size(); ++i)
        leaf(step.run.leaves[i], row, count,
             Placed{alike_.data(), part.begin + distances.leaves[i]});
      continue;
    }
    if (step.column == none) continue;
    ColumnData& column = batch_->columns[step.column];
    if (step.op == Step::Op::elements) {
      add_runs(part, count);
      if (!step.counted) continue;
    } else if (step.op == Step::Op::text) {
      repeat(column.values.extend(part.size * count), data_ + part.begin, part.size, count);
    } else {
      std::byte* const to = column.values.extend(part.size * count);
      gather(to, Placed{alike_.data(), part.begin}, part.size, count);
      if (swapped_) swap_bytes(to, step.width, part.size * count / std::max(step.width, 1U));
    }
    std::int64_t* const ends = column.ends() + row;
    const std::int64_t before = ends[-1];
    for (std::size_t i = 0; i < count; ++i)
      ends[i] = before + static_cast<std::int64_t>((i + 1) * part.count);
  }
}

/// Adds the elements that each of `alike_` has there.
void Pass::add_runs(const Layout::Part& part, std::size_t count) {
  const Step& step = *part.step;
  const Run& run = step.body[0].run;
  if (part.count == 0) return;
  std::size_t& rows = batch_->counts[step.level];
  ensure(step.level, rows + count * part.count);
  const std::size_t phase = part.begin & run.mask;
  const Run::Distances& distances = run.by_phase[phase];
  if (((part.begin + distances.size) & run.mask) == phase) {  // so they lie at equal distances
    for (std::size_t i = 0; i < run.leaves.size(); ++i)
      leaf(run.leaves[i], rows, count * part.count,
           Grouped{alike_.data(), part.begin + distances.leaves[i], distances.size, part.count});
    rows += count * part.count;
    return;
  }
  const std::byte* const data = data_;
  const std::size_t at = at_;
  for (std::size_t i = 0; i < count; ++i) {
    data_ = alike_[i];
    at_ = part.begin;
    this->run(run, rows, part.count);
    rows += part.count;
  }
  data_ = data;
  at_ = at;
}

bool Pass::message(std::span<const std::byte> bytes, std::int64_t time) {
  swapped_ = false;
  if (plan_->headed) {
    if (bytes.size() < header) {
      ++losses_.damaged;
      return false;
    }
    const auto first = static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) << 8U |
                                                  std::to_integer<unsigned>(bytes[1]));
    if (first > 1) {
      // Damaged bytes could name each of the 65,536 there are, of which each has room.
      ++losses_.refused[first];
      return false;
    }
    swapped_ = first == 0;
    bytes = bytes.subspan(header);
  }
  data_ = bytes.data();
  size_ = bytes.size();
  at_ = 0;
  const std::size_t row = batch_->counts[0];
  ensure(0, row + 1);
  note_times(&time, row, 1);
  if (!(is_tagged()   ? tagged_message(row)
        : plan_->json ? json_message(row)
        : plan_->flat ? noted_steps(plan_->steps, row)
                      : steps(plan_->steps, row))) {
    ++losses_.damaged;
    return false;
  }
  ++batch_->counts[0];
  layout_.is_longer = size_ - at_ > (plan_->headed ? padding : 0);
  losses_.longer += layout_.is_longer;
  return true;
}

void Pass::note_times(const std::int64_t* times, std::size_t row, std::size_t count) {
  for (const std::uint32_t column : plan_->levels[0])
    if (plan_->columns[column].kind == Kind::recorded)
      std::memcpy(batch_->columns[column].values.data() + row * sizeof *times, times,
                  count * sizeof *times);
}

/// Reads a message or an element and notes how it lies.
bool Pass::noted_steps(const std::vector<Step>& steps, std::size_t row) {
  layout_.parts.clear();
  layout_.same.clear();
  for (const Step& each : steps) {
    const std::size_t begin = at_;
    if (!step(each, row)) return false;
    if (each.op == Step::Op::run) {
      layout_.parts.push_back({&each, begin, 0, 0});
      continue;
    }
    if (each.op == Step::Op::elements && !each.counted) {
      layout_.parts.push_back({&each, begin, 0, each.count});
      continue;
    }
    const std::size_t length_at = begin + (-begin & (std::min(4U, plan_->largest) - 1));
    const std::size_t count = number(data_ + length_at);
    const bool is_text = each.op == Step::Op::text;
    // Of a sequence all but the count may change; of a text nothing, which would be read anew.
    const std::size_t compared = is_text ? at_ - length_at : sizeof(std::uint32_t);
    layout_.same.push_back({static_cast<std::ptrdiff_t>(length_at), compared});
    if (is_text) {
      const std::size_t size = count - (ends_with_nul(data_ + at_ - count, count) ? 1 : 0);
      layout_.parts.push_back({&each, at_ - count, size, size});
    } else if (each.op == Step::Op::elements) {
      layout_.parts.push_back({&each, length_at + sizeof(std::uint32_t), 0, count});
    } else {
      layout_.parts.push_back({&each, at_ - count * each.width, count * each.width, count});
    }
  }
  return true;
}

bool Pass::ends_with_nul(const std::byte* text, std::size_t size) const {
  return plan_->headed && size != 0 && text[size - 1] == std::byte{0};
}

bool Pass::steps(const std::vector<Step>& steps, std::size_t row) {
  return std::ranges::all_of(steps, [&](const Step& each) { return step(each, row); });
}

bool Pass::step(const Step& step, std::size_t row) {
  switch (step.op) {
    case Step::Op::run: return run(step.run, row, 1);
    case Step::Op::text: return text(step, row);
    case Step::Op::sequence: return sequence(step, row);
    case Step::Op::elements: return elements(step, row);
    case Step::Op::points: return points(step, row);
  }
  return false;
}

bool Pass::run(const Run& run, std::size_t row, std::size_t count) {
  while (count != 0) {
    const std::size_t phase = at_ & run.mask;
    const Run::Distances& distances = run.by_phase[phase];
    const std::size_t size = distances.size;
    // Where the next one begins alike, so do all, and they lie at equal distances.
    const std::size_t alike = ((at_ + size) & run.mask) == phase ? count : 1;
    if (size == 0 || alike > (size_ - at_) / size) return false;
    for (std::size_t i = 0; i < run.leaves.size(); ++i)
      leaf(run.leaves[i], row, alike, Strided{data_ + at_ + distances.leaves[i], size});
    at_ += alike * size;
    row += alike;
    count -= alike;
  }
  return true;
}

template <class Places>
void Pass::leaf(const Leaf& leaf, std::size_t row, std::size_t count, Places from) {
  std::byte* const values = batch_->columns[leaf.column].values.data();
  if (leaf.kind == Kind::time) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t seconds = number(from[i]), rest = number(from[i] + 4);
      const std::int64_t whole = (leaf.count & signed_seconds) != 0
                                     ? static_cast<std::int32_t>(seconds)
                                     : static_cast<std::int64_t>(seconds);
      const std::int64_t part = (leaf.count & signed_nanoseconds) != 0
                                    ? static_cast<std::int32_t>(rest)
                                    : static_cast<std::int64_t>(rest);
      carried_ += part < 0 || part >= second_ns;
      const std::int64_t time = whole * second_ns + part;
      std::memcpy(values + (row + i) * sizeof time, &time, sizeof time);
    }
    return;
  }
  const std::size_t size = leaf.width * leaf.count;
  std::byte* const to = values + row * size;
  gather(to, from, size, count);
  if (swapped_) swap_bytes(to, leaf.width, count * leaf.count);
}

bool Pass::text(const Step& step, std::size_t row) {
  std::uint32_t size = 0;
  if (!length(size) || size > size_ - at_) return false;
  std::string_view text(reinterpret_cast<const char*>(data_ + at_), size);
  at_ += size;
  if (step.column == none) return true;
  text.remove_suffix(ends_with_nul(data_ + at_ - size, size) ? 1 : 0);
  ColumnData& column = batch_->columns[step.column];
  append_text(column.values, text);
  column.ends()[row] = static_cast<std::int64_t>(column.values.size());
  return true;
}

void Pass::append_text(Buffer& to, std::string_view text) {
  if (is_utf8(text)) [[likely]] {
    std::memcpy(to.extend(text.size()), text.data(), text.size());
  } else {
    append_mended(to, text);
    ++mended_;
  }
}

bool Pass::sequence(const Step& step, std::size_t row) {
  std::uint32_t count = 0;
  if (!length(count)) return false;
  if (count != 0 && step.width != 0) {
    if (!align(step.width) || count > (size_ - at_) / step.width) return false;
    const std::size_t size = std::size_t{count} * step.width;
    if (step.column != none) {
      std::byte* const to = batch_->columns[step.column].values.extend(size);
      std::memcpy(to, data_ + at_, size);
      if (swapped_) swap_bytes(to, step.width, count);
    }
    at_ += size;
  }
  if (step.column == none) return true;
  ColumnData& column = batch_->columns[step.column];
  column.ends()[row] = static_cast<std::int64_t>(column.values.size() / step.width);
  return true;
}

bool Pass::elements(const Step& step, std::size_t row) {
  std::size_t count = step.count;
  if (step.counted) {
    std::uint32_t on_wire = 0;
    if (!length(on_wire)) return false;
    count = on_wire;
  }
  if (count > (size_ - at_) / step.least) return false;
  std::size_t first = 0;
  if (step.level != none) {
    first = batch_->counts[step.level];
    ensure(step.level, first + count);
  }
  if (step.body.size() == 1 && step.body[0].op == Step::Op::run) {
    if (!run(step.body[0].run, first, count)) return false;
  } else if (step.flat) {
    if (!flat_elements(step, first, count)) return false;
  } else {
    for (std::size_t i = 0; i < count; ++i)
      if (!steps(step.body, first + i)) return false;
  }
  if (step.level != none) batch_->counts[step.level] = first + count;
  if (step.column != none && step.counted)
    batch_->columns[step.column].ends()[row] = static_cast<std::int64_t>(first + count);
  return true;
}

/// Reads elements, at once those that lie as the one before them does.
bool Pass::flat_elements(const Step& step, std::size_t row, std::size_t count) {
  const std::size_t last = row + count;
  std::size_t next_noted = row, pause = 1;
  while (row < last) {
    const std::size_t begin = at_;
    const std::uint64_t mended = mended_;
    const bool is_noted = row >= next_noted;
    if (!(is_noted ? noted_steps(step.body, row) : steps(step.body, row))) return false;
    ++row;
    if (!is_noted) continue;
    const std::size_t size = at_ - begin;
    const bool is_repeatable = size != 0 && (size & step.mask) == 0 && mended_ == mended;
    const std::size_t alike = is_repeatable ? alike_elements(size, last - row) : 0;
    if (alike == 0) {  // where elements differ, noting how they lie is in vain
      next_noted = row + pause;
      pause *= 2;
      continue;
    }
    add_parts(row, alike);
    row += alike;
    at_ += alike * size;
    pause = 1;
  }
  return true;
}

bool Pass::points(const Step& step, std::size_t row) {
  std::uint32_t size = 0;
  if (!length(size) || size > size_ - at_) return false;
  const std::byte* const data = data_ + at_;
  at_ += size;
  const Points& points = plan_->points;
  const std::uint64_t width = noted(points.width, row), height = noted(points.height, row);
  const std::uint64_t line = width * points.step;
  const std::uint64_t stride = height > 1 ? noted(points.row_step, row) : line;
  // Each factor has 32 bits, `line` alone may have more.
  const bool is_whole = (width == 0 || height == 0)
                            ? size == 0
                            : line <= stride && stride <= size && stride * height == size;
  const bool is_read = is_whole && is_expected(row);
  pointless_ += !is_read;
  const std::size_t first = batch_->counts[step.level];
  const std::size_t count = is_read ? width * height : 0;
  ensure(step.level, first + count);
  // A few points at a time, which stay in the nearest cache while each field is read.
  for (std::size_t y = 0; count != 0 && y < height; ++y)
    for (std::size_t x = 0; x < width; x += near_points) {
      const std::size_t row_of_first = first + y * width + x;
      const std::size_t near = std::min(near_points, width - x);
      for (const Points::Field& field : points.expected) {
        if (field.column == none) continue;
        const std::size_t bytes = std::size_t{field.width} * field.count;
        std::byte* const to = batch_->columns[field.column].values.data() + row_of_first * bytes;
        gather(to, Strided{data + y * stride + x * points.step + field.offset, points.step}, bytes,
               near);
        if (points.big) swap_bytes(to, field.width, near * field.count);
      }
    }
  batch_->counts[step.level] = first + count;
  ColumnData& column = batch_->columns[step.column];
  *column.values.extend(1) = std::byte{is_read};
  column.ends()[row] = static_cast<std::int64_t>(first + count);
  return true;
}

/// Whether a cloud describes its points as the plan does.
bool Pass::is_expected(std::size_t row) const {
  const Points& points = plan_->points;
  const std::int64_t* const ends = batch_->columns[points.fields].begins() + row;
  if (noted(points.point_step, row) != points.step ||
      (noted(points.is_bigendian, row) != 0) != points.big ||
      ends[1] - ends[0] != static_cast<std::int64_t>(points.expected.size()))
    return false;
  auto at = static_cast<std::size_t>(ends[0]);
  const ColumnData& names = batch_->columns[points.name];
  for (const Points::Field& field : points.expected) {
    const std::int64_t* const text = names.begins() + at;
    const std::string_view name(reinterpret_cast<const char*>(names.values.data()) + text[0],
                                static_cast<std::size_t>(text[1] - text[0]));
    if (name != field.name || noted(points.offset, at) != field.offset ||
        noted(points.datatype, at) != field.datatype || noted(points.count, at) != field.count)
      return false;
    ++at;
  }
  return true;
}

/// A whole number that was read before.
std::uint64_t Pass::noted(std::uint32_t column, std::size_t row) const {
  const std::size_t width = plan_->columns[column].width;
  std::uint64_t value = 0;
  std::memcpy(&value, batch_->columns[column].values.data() + row * width, width);
  return value;
}

bool Pass::length(std::uint32_t& into) {
  if (!align(sizeof into) || size_ - at_ < sizeof into) return false;
  into = number(data_ + at_);
  at_ += sizeof into;
  return true;
}

bool Pass::align(std::uint32_t width) {
  const std::size_t gap = -at_ & (std::min(width, plan_->largest) - 1);
  if (gap > size_ - at_) return false;
  at_ += gap;
  return true;
}

std::uint32_t Pass::number(const std::byte* from) const {
  std::uint32_t value;
  std::memcpy(&value, from, sizeof value);
  return swapped_ ? __builtin_bswap32(value) : value;
}

/// Makes room for so many rows of a level.
void Pass::ensure(std::uint32_t level, std::size_t rows) {
  if (rows <= capacities_[level]) [[likely]]
    return;
  const std::size_t capacity = std::max(rows, 2 * capacities_[level]);
  for (const std::uint32_t number : plan_->levels[level]) {
    const Column& column = plan_->columns[number];
    ColumnData& data = batch_->columns[number];
    if (has_offsets(column.kind)) {
      data.offsets.reserve((capacity + 1) * sizeof(std::int64_t));
    } else if (column.kind != Kind::array) {
      const std::size_t size = column.width * column.count;
      data.values.reserve(capacity * size);
      // A field that does not come is 0.
      if (is_sparse())
        std::memset(data.values.data() + capacities_[level] * size, 0,
                    (capacity - capacities_[level]) * size);
    }
  }
  capacities_[level] = capacity;
}

/// Removes what columns have in a row, and in what comes behind it. Lists come before their
/// elements.
void Pass::remove(std::size_t first, std::size_t last, Row from) {
  touched_[from.level] = from.number + 1;
  for (std::size_t i = first; i < last; ++i) {
    const Column& column = plan_->columns[i];
    const std::size_t rows =
        column.level == from.level ? from.number : batch_->counts[column.level];
    ColumnData& data = batch_->columns[i];
    if (column.kind == Kind::array) {
      batch_->counts[column.child] = rows * column.count;
    } else if (has_offsets(column.kind)) {
      const auto end = static_cast<std::size_t>(data.begins()[rows]);
      if (column.kind == Kind::points) data.values.resize(rows);
      if (column.child != none) {
        touched_[column.child] =
            std::min(batch_->counts[column.child] + 1, capacities_[column.child]);
        batch_->counts[column.child] = end;
      } else {
        data.values.resize(end * column.width);
      }
    } else if (is_sparse()) {
      std::memset(data.values.data() + rows * column.width, 0,
                  (touched_[column.level] - rows) * column.width);
    }
  }
}

}  // namespace wirecost::arrow
