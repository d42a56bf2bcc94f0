// SPDX-License-Identifier: Apache-2.0
#include "wirecost/verify/columns.hpp"

#include <algorithm>
#include <cstring>

namespace wirecost::verify {
namespace {

namespace pb = google::protobuf;
using Field = pb::FieldDescriptor;

enum Band { presence = 1, offsets, scale, base, constant, columns_field, own };
constexpr std::uint64_t most_elements = std::uint64_t{1} << 26;

const Field* in_band(const pb::Message& columns, Band band, int number) {
  return columns.GetDescriptor()->FindFieldByNumber(band * first_band + number);
}

bool has(const pb::Message& m, const Field* f) {
  if (f == nullptr) return false;
  const pb::Reflection& r = *m.GetReflection();
  return f->is_repeated() ? r.FieldSize(m, f) != 0 : r.HasField(m, f);
}

std::string text(const pb::Message& m, const Field* f) {
  return has(m, f) ? m.GetReflection()->GetString(m, f) : std::string();
}

std::vector<std::uint32_t> numbers(const pb::Message& m, const Field* f) {
  std::vector<std::uint32_t> found;
  for (int i = 0; has(m, f) && i < m.GetReflection()->FieldSize(m, f); ++i)
    found.push_back(m.GetReflection()->GetRepeatedUInt32(m, f, i));
  return found;
}

double real(const pb::Message& m, const Field* f) { return m.GetReflection()->GetDouble(m, f); }

struct Value {
  double real = 0;
  std::int64_t integer = 0;
};

bool is_real(const Field* row) {
  return row->cpp_type() == Field::CPPTYPE_DOUBLE || row->cpp_type() == Field::CPPTYPE_FLOAT;
}

/// A single value, of a constant or of one place in a packed column.
Value scalar(const pb::Message& m, const Field* f, int index) {
  const pb::Reflection& r = *m.GetReflection();
  const bool many = index >= 0;
  switch (f->cpp_type()) {
    case Field::CPPTYPE_DOUBLE:
      return {.real = many ? r.GetRepeatedDouble(m, f, index) : r.GetDouble(m, f)};
    case Field::CPPTYPE_FLOAT:
      return {.real = many ? r.GetRepeatedFloat(m, f, index) : r.GetFloat(m, f)};
    case Field::CPPTYPE_INT32:
      return {.integer = many ? r.GetRepeatedInt32(m, f, index) : r.GetInt32(m, f)};
    case Field::CPPTYPE_UINT32:
      return {.integer = many ? r.GetRepeatedUInt32(m, f, index) : r.GetUInt32(m, f)};
    case Field::CPPTYPE_INT64:
      return {.integer = many ? r.GetRepeatedInt64(m, f, index) : r.GetInt64(m, f)};
    case Field::CPPTYPE_UINT64:
      return {.integer = static_cast<std::int64_t>(many ? r.GetRepeatedUInt64(m, f, index)
                                                        : r.GetUInt64(m, f))};
    case Field::CPPTYPE_BOOL: return {.integer = r.GetBool(m, f)};
    default: throw MalformedMessage(f->full_name() + " is no column of numbers");
  }
}

/// One field of the row type with all that its columns hold.
class Column {
 public:
  Column(const pb::Message& columns, const Field* row, std::size_t count)
      : columns_(columns),
        row_(row),
        column_(columns.GetDescriptor()->FindFieldByNumber(row->number())) {
    presence_ = text(columns, in_band(columns, Band::presence, row->number()));
    offsets_ = numbers(columns, in_band(columns, Band::offsets, row->number()));
    constant_ = in_band(columns, Band::constant, row->number());
    if (!has(columns, constant_)) constant_ = nullptr;
    is_there_ = constant_ != nullptr || !offsets_.empty() || has(columns, column_);
    if (!is_there_) return;
    if (!presence_.empty() && presence_.size() != (count + 7) / 8)
      throw MalformedMessage(row->full_name() + ": presence has not one bit an element");
    if (row->is_repeated() || (is_text() && constant_ == nullptr)) check_offsets(count, false);
    const std::size_t inner = row->is_repeated() ? offsets_.back() : count;
    if (row->cpp_type() == Field::CPPTYPE_MESSAGE)
      nest(inner);
    else if (!is_text() && constant_ == nullptr)
      take_stored(inner);
    else if (constant_ == nullptr)
      bytes_ = text(columns, column_);
    if (is_text() && constant_ == nullptr && !row->is_repeated() &&
        bytes_.size() != offsets_.back())
      throw MalformedMessage(row->full_name() + ": the texts end elsewhere than their offsets");
  }

  const std::string& name() const { return row_->name(); }

  /// Element `i` of the message around, which is there.
  void write(Canonical& out, std::size_t i) const {
    if (!is_there_ || !bit(i)) return;
    if (row_->is_repeated())
      list(out, offsets_[i], offsets_[i + 1]);
    else if (row_->cpp_type() == Field::CPPTYPE_MESSAGE) {
      const auto mark = out.enter(name());
      for (const Column& field : fields_) field.write(out, i);
      out.leave(mark);
    } else if (is_text())
      out.text(name(), text_at(i));
    else if (is_real(row_))
      out.real(name(), value(i).real);
    else
      out.integer(name(), value(i).integer);
  }

 private:
  bool is_text() const { return row_->cpp_type() == Field::CPPTYPE_STRING; }

  bool bit(std::size_t i) const {
    return presence_.empty() || (static_cast<unsigned char>(presence_[i / 8]) >> i % 8 & 1) != 0;
  }

  void check_offsets(std::size_t count, bool rising) const {
    bool good = rising || offsets_.size() == count + 1;
    good = good && !offsets_.empty() && offsets_.front() == 0 && offsets_.back() <= most_elements;
    for (std::size_t i = 0; good && i + 1 < offsets_.size(); ++i)
      good = rising ? offsets_[i] < offsets_[i + 1] : offsets_[i] <= offsets_[i + 1];
    if (!good || (rising && offsets_.back() != count))
      throw MalformedMessage(row_->full_name() + ": the offsets do not fit the elements");
  }

  void nest(std::size_t count) {
    if (!has(columns_, column_)) throw MalformedMessage(row_->full_name() + ": no columns in it");
    const pb::Message& inner = columns_.GetReflection()->GetMessage(columns_, column_);
    for (const Field* field : sorted_fields(row_->message_type()))
      fields_.emplace_back(inner, field, count);
  }

  void take_stored(std::size_t count) {
    runs_ = !row_->is_repeated() && !offsets_.empty();
    if (runs_) check_offsets(count, true);
    const std::size_t stored = runs_ ? offsets_.size() - 1 : count;
    const Field* const scale = in_band(columns_, Band::scale, row_->number());
    scaled_ = has(columns_, scale);
    if (scaled_) {
      scale_ = real(columns_, scale);
      base_ = real(columns_, in_band(columns_, Band::base, row_->number()));
    }
    if (column_->type() != Field::TYPE_BYTES) {
      const auto size =
          static_cast<std::size_t>(columns_.GetReflection()->FieldSize(columns_, column_));
      if (size != stored) throw MalformedMessage(row_->full_name() + ": not a value an element");
      return;
    }
    bytes_ = text(columns_, column_);
    width_ = stored == 0 ? 0 : bytes_.size() / stored;
    if (width_ * stored != bytes_.size() || width_ > 8)
      throw MalformedMessage(row_->full_name() + ": no whole number of bytes an element");
  }

  Value value(std::size_t i) const {
    if (constant_ != nullptr) return scalar(columns_, constant_, -1);
    if (runs_)
      i = static_cast<std::size_t>(std::ranges::upper_bound(offsets_, i) - offsets_.begin()) - 1;
    if (column_->type() != Field::TYPE_BYTES) return scalar(columns_, column_, static_cast<int>(i));
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + i * width_, width_);
    if (scaled_ && is_real(row_)) return {.real = base_ + scale_ * static_cast<double>(bits)};
    if (scaled_)
      return {.integer = static_cast<std::int64_t>(base_) + static_cast<std::int64_t>(bits)};
    if (is_real(row_) && width_ == 8) {
      double wide = 0;
      std::memcpy(&wide, &bits, 8);
      return {.real = wide};
    }
    if (is_real(row_)) {
      float narrow = 0;
      std::memcpy(&narrow, &bits, 4);
      return {.real = narrow};
    }
    const bool is_signed = width_ == 4 && row_->cpp_type() != Field::CPPTYPE_UINT32;
    return {.integer =
                is_signed ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits)};
  }

  std::string text_at(std::size_t i) const {
    if (constant_ != nullptr) return text(columns_, constant_);
    return bytes_.substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

  void list(Canonical& out, std::size_t first, std::size_t last) const {
    if (first == last) return;
    out.list(name(), last - first);
    for (std::size_t i = first; i < last; ++i) {
      if (row_->cpp_type() == Field::CPPTYPE_MESSAGE) {
        out.enter({});
        for (const Column& field : fields_) field.write(out, i);
        out.leave_element();
      } else if (is_text())
        throw MalformedMessage(row_->full_name() + ": lists of texts are not read here");
      else if (is_real(row_))
        out.real_element(value(i).real);
      else
        out.integer_element(value(i).integer);
    }
  }

  static std::vector<const Field*> sorted_fields(const pb::Descriptor* type) {
    std::vector<const Field*> fields;
    fields.reserve(static_cast<std::size_t>(type->field_count()));
    for (int i = 0; i < type->field_count(); ++i) fields.push_back(type->field(i));
    std::ranges::sort(fields, {}, [](const Field* field) { return field->name(); });
    return fields;
  }

  friend void wirecost::verify::walk_columns(Canonical&, std::string_view, const pb::Descriptor*,
                                             const pb::Message&);

  const pb::Message& columns_;
  const Field* row_;
  const Field* column_;
  const Field* constant_ = nullptr;
  std::string presence_, bytes_;
  std::vector<std::uint32_t> offsets_;
  std::vector<Column> fields_;
  double scale_ = 0, base_ = 0;
  std::size_t width_ = 0;
  bool is_there_ = false, runs_ = false, scaled_ = false;
};

}  // namespace

const pb::FieldDescriptor* columns_of(const pb::FieldDescriptor* rows) {
  return rows->containing_type()->FindFieldByNumber(Band::columns_field * first_band +
                                                    rows->number());
}

void walk_columns(Canonical& out, std::string_view name, const pb::Descriptor* row_type,
                  const pb::Message& columns) {
  const Field* const count_field = in_band(columns, Band::own, 0);
  const std::uint64_t count =
      count_field == nullptr ? 0 : columns.GetReflection()->GetUInt64(columns, count_field);
  if (count > most_elements) throw MalformedMessage(std::string(name) + ": too many elements");
  std::vector<Column> fields;
  for (const Field* field : Column::sorted_fields(row_type))
    fields.emplace_back(columns, field, count);
  if (count == 0) return;
  out.list(name, count);
  for (std::size_t i = 0; i < count; ++i) {
    out.enter({});
    for (const Column& field : fields) field.write(out, i);
    out.leave_element();
  }
}

}  // namespace wirecost::verify
