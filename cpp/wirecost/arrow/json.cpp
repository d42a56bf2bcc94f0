// SPDX-License-Identifier: Apache-2.0
// Messages of JSON: members come in any order, and what does not come is null.
#include "wirecost/json/input.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "wirecost/arrow/pass.hpp"

namespace wirecost::arrow {

struct JsonText {
  json::Input in;
  std::string scratch;
};

namespace {

constexpr int deepest = 100;  // arrays and objects in one another
constexpr double infinite = std::numeric_limits<double>::infinity();

/// The numbers of Python and JavaScript that are none of JSON.
bool take_special(json::Input& in, double& value) {
  if (in.take_word("NaN"))
    value = std::numeric_limits<double>::quiet_NaN();
  else if (in.take_word("Infinity"))
    value = infinite;
  else if (in.take_word("-Infinity"))
    value = -infinite;
  else
    return false;
  return true;
}

/// One beyond what a double can be is infinite.
bool real(json::Input& in, std::byte* to) {
  double value = 0;
  if (!take_special(in, value)) {
    json::Number number;
    json::Reason reason{};
    if (!in.number(number)) return false;
    if (!json::real(number, value, reason)) value = number.negative() ? -infinite : infinite;
  }
  std::memcpy(to, &value, sizeof value);
  return true;
}

template <class Integer>
bool integer(json::Input& in, std::byte* to) {
  json::Number number;
  json::Reason reason{};
  Integer value = 0;
  if (!in.number(number) || !json::integer(number, value, reason)) return false;
  std::memcpy(to, &value, sizeof value);
  return true;
}

/// Reads over any value.
bool skip(JsonText& text, int levels) {
  json::Input& in = text.in;
  const char first = in.peek();
  std::string_view found;
  if (first == '"') return in.string(found, text.scratch);
  if (first != '{' && first != '[') {
    double value = 0;
    json::Number number;
    return in.take_word("null") || in.take_word("true") || in.take_word("false") ||
           take_special(in, value) || in.number(number);
  }
  const char close = first == '{' ? '}' : ']';
  if (levels == 0 || !in.take(first)) return false;
  if (in.take_if(close)) return true;
  do {
    if (first == '{' && (!in.string(found, text.scratch) || !in.take(':'))) return false;
    if (!skip(text, levels - 1)) return false;
  } while (in.take_if(','));
  return in.take(close);
}

}  // namespace

bool Pass::json_message(std::size_t row) {
  JsonText text{json::Input({reinterpret_cast<const char*>(data_), size_}), {}};
  row_bytes_ = plan_->row_bytes[0];
  at_ = size_;
  if (!object(*plan_->json, text, {0, row}, deepest) || !text.in.ends()) return false;
  end_row({0, row});
  return true;
}

bool Pass::object(const JsonValue& object, JsonText& text, Row row, int levels) {
  json::Input& in = text.in;
  if (levels == 0 || !in.take('{')) return false;
  if (in.take_if('}')) return true;
  std::size_t next = 0;
  do {
    std::string_view name;
    if (!in.string(name, text.scratch)) return false;
    const JsonValue* const member = object.find(name, next);
    if (!in.take(':')) return false;
    if (member == nullptr || !member->kept) {
      unknown_ += member == nullptr;
      if (!skip(text, levels - 1)) return false;
      continue;
    }
    // Of members with one name the last one counts.
    if (batch_->columns[member->presence].values.data()[row.number] != std::byte{0}) {
      if (!count_bytes((member->last - member->first) * sizeof(std::int64_t))) return false;
      remove(member->first, member->last, row);
    }
    if (in.take_word("null")) continue;
    set_present(member->presence, row);
    if (!value(*member, text, row, levels - 1)) return false;
  } while (in.take_if(','));
  return in.take('}');
}

bool Pass::list(const JsonValue& list, JsonText& text, Row row, int levels) {
  json::Input& in = text.in;
  if (levels == 0 || !in.take('[')) return false;
  if (in.take_if(']')) return true;
  const JsonValue& element = list.inside[0];
  do {
    row = {list.level, batch_->counts[list.level]};
    if (!begin_element(row)) return false;
    if (!in.take_word("null")) {
      set_present(element.presence, row);
      if (!value(element, text, row, levels - 1)) return false;
    }
    end_row(row);
    ++batch_->counts[list.level];
  } while (in.take_if(','));
  return in.take(']');
}

bool Pass::value(const JsonValue& value, JsonText& text, Row row, int levels) {
  using Op = JsonValue::Op;
  if (value.op == Op::object) return object(value, text, row, levels);
  if (value.op == Op::list) return list(value, text, row, levels);
  json::Input& in = text.in;
  Buffer& values = batch_->columns[value.column].values;
  std::byte* const place = values.data() + row.number * plan_->columns[value.column].width;
  std::string_view found;
  switch (value.op) {
    case Op::boolean:
      *place = std::byte{in.take_word("true")};
      return *place != std::byte{0} || in.take_word("false");
    case Op::integer: return integer<std::int64_t>(in, place);
    case Op::natural: return integer<std::uint64_t>(in, place);
    case Op::real: return real(in, place);
    case Op::time: return moment(text, place, levels);
    case Op::raw: {
      in.peek();
      const char* const begin = in.position();
      if (!skip(text, levels)) return false;
      append_text(values, json::between(begin, in.position()));
      return true;
    }
    case Op::text:
      if (!in.string(found, text.scratch)) return false;
      append_text(values, found);
      return true;
    default: {
      if (!in.string(found, text.scratch)) return false;
      const std::size_t before = values.size();
      auto* const to = reinterpret_cast<char*>(values.extend(found.size() / 4 * 3 + 3));
      const std::ptrdiff_t size = json::decode_base64(found, to);
      values.resize(before + static_cast<std::size_t>(size < 0 ? 0 : size));
      return size >= 0;
    }
  }
}

/// Reads a time, of which a part that does not come is 0.
bool Pass::moment(JsonText& text, std::byte* to, int levels) {
  constexpr std::int64_t second_ns = 1'000'000'000;
  json::Input& in = text.in;
  if (levels == 0 || !in.take('{')) return false;
  std::int64_t seconds = 0, rest = 0, time = 0;
  if (!in.take_if('}')) {
    do {
      std::string_view name;
      if (!in.string(name, text.scratch)) return false;
      std::int64_t* const part = name == "sec" ? &seconds : name == "nsec" ? &rest : nullptr;
      unknown_ += part == nullptr;
      if (!in.take(':') ||
          !(part == nullptr ? skip(text, levels - 1)
                            : integer<std::int64_t>(in, reinterpret_cast<std::byte*>(part))))
        return false;
    } while (in.take_if(','));
    if (!in.take('}')) return false;
  }
  carried_ += rest < 0 || rest >= second_ns;
  if (__builtin_mul_overflow(seconds, second_ns, &time) ||
      __builtin_add_overflow(time, rest, &time))
    return false;
  std::memcpy(to, &time, sizeof time);
  return true;
}

}  // namespace wirecost::arrow
