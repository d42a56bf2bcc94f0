// SPDX-License-Identifier: Apache-2.0
// The independent reader of the MessagePack wire, after the specification of MessagePack and OSI's
// FileDescriptorSet: a message is an array, in which a field's place is its rank by number.
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "wirecost/verify/descriptors.hpp"
#include "wirecost/verify/reader.hpp"

namespace wirecost::verify {
namespace {

namespace pb = google::protobuf;
using Type = pb::FieldDescriptor::CppType;

/// Reads values one behind the other.
class Input {
 public:
  explicit Input(Bytes bytes) : rest_(bytes) {}

  Bytes rest() const { return rest_; }
  bool at_nil() const { return !rest_.empty() && rest_[0] == std::byte{0xc0}; }

  std::uint64_t array() {
    const unsigned head = byte();
    if ((head & 0xf0U) == 0x90U) return head & 0x0fU;
    if (head == 0xdc) return number(2);
    if (head == 0xdd) return number(4);
    throw MalformedMessage("an array is expected, not a value of kind " + std::to_string(head));
  }
  double real() {
    if (byte() != 0xcb) throw MalformedMessage("a 64 bit float is expected");
    return std::bit_cast<double>(number(8));
  }
  std::int64_t integer() {
    const unsigned head = byte();
    if (head < 0x80) return head;
    if (head >= 0xe0) return static_cast<std::int8_t>(head);
    if (head >= 0xcc && head <= 0xcf) return static_cast<std::int64_t>(number(1U << (head - 0xcc)));
    switch (head) {
      case 0xd0: return static_cast<std::int8_t>(number(1));
      case 0xd1: return static_cast<std::int16_t>(number(2));
      case 0xd2: return static_cast<std::int32_t>(number(4));
      case 0xd3: return static_cast<std::int64_t>(number(8));
      default: throw MalformedMessage("an integer is expected, not kind " + std::to_string(head));
    }
  }
  /// Goes over one value of the kinds that are read here.
  void skip() {
    for (std::uint64_t values = 1; values != 0; --values) {
      const unsigned head = static_cast<unsigned>(peek());
      if (head == 0xc0)
        byte();
      else if (head == 0xcb)
        real();
      else if ((head & 0xf0U) == 0x90U || head == 0xdc || head == 0xdd)
        values += array();
      else
        integer();
    }
  }

 private:
  std::byte peek() const {
    if (rest_.empty()) throw MalformedMessage("the message ends too early");
    return rest_[0];
  }
  unsigned byte() { return static_cast<unsigned>(number(1)); }
  std::uint64_t number(std::size_t size) {
    if (rest_.size() < size) throw MalformedMessage("the message ends too early");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8U | static_cast<std::uint64_t>(rest_[i]);
    rest_ = rest_.subspan(size);
    return value;
  }

  Bytes rest_;
};

class Walk {
 public:
  explicit Walk(Canonical& out) : out_(out) {}

  void message(const pb::Descriptor* type, Input& in) {
    if (++depth_ > deepest) throw MalformedMessage("messages are nested too deeply");
    const Fields& fields = fields_of(type);
    const std::uint64_t count = in.array();
    if (count > fields.by_name.size())
      throw MalformedMessage(type->full_name() + " has " + std::to_string(count) + " fields");
    std::vector<Bytes> values(fields.by_name.size());
    for (std::uint64_t i = 0; i < count; ++i) {
      values[i] = in.rest();
      in.skip();
    }
    for (const auto& [field, rank] : fields.by_name) {
      Input value(values[rank]);
      if (rank < count && !value.at_nil()) one(field, value);
    }
    --depth_;
  }

 private:
  struct Fields {
    std::vector<std::pair<const pb::FieldDescriptor*, std::size_t>> by_name;
  };

  const Fields& fields_of(const pb::Descriptor* type) {
    Fields& fields = fields_[type];
    if (fields.by_name.empty()) {
      std::vector<const pb::FieldDescriptor*> sorted(static_cast<std::size_t>(type->field_count()));
      for (int i = 0; i < type->field_count(); ++i)
        sorted[static_cast<std::size_t>(i)] = type->field(i);
      std::ranges::sort(sorted, {}, [](const auto* field) { return field->number(); });
      for (std::size_t i = 0; i < sorted.size(); ++i) fields.by_name.emplace_back(sorted[i], i);
      std::ranges::sort(fields.by_name, {}, [](const auto& field) { return field.first->name(); });
    }
    return fields;
  }

  void one(const pb::FieldDescriptor* field, Input& in) {
    if (field->is_repeated()) {
      const std::uint64_t count = in.array();
      if (count == 0) return;
      out_.list(field->name(), count);
      for (std::uint64_t i = 0; i < count; ++i) element(field, in);
    } else if (field->cpp_type() == Type::CPPTYPE_MESSAGE) {
      const auto mark = out_.enter(field->name());
      message(field->message_type(), in);
      out_.leave(mark);
    } else if (is_real(field)) {
      out_.real(field->name(), in.real());
    } else {
      out_.integer(field->name(), in.integer());
    }
  }

  void element(const pb::FieldDescriptor* field, Input& in) {
    if (field->cpp_type() == Type::CPPTYPE_MESSAGE) {
      out_.enter({});
      message(field->message_type(), in);
      out_.leave_element();
    } else if (is_real(field)) {
      out_.real_element(in.real());
    } else {
      out_.integer_element(in.integer());
    }
  }

  static bool is_real(const pb::FieldDescriptor* field) {
    return field->cpp_type() == Type::CPPTYPE_DOUBLE;
  }

  static constexpr int deepest = 16;

  Canonical& out_;
  int depth_ = 0;
  std::unordered_map<const pb::Descriptor*, Fields> fields_;
};

class Reader : public IndependentReader {
 public:
  explicit Reader(std::string_view schema) : types_(schema) {}

  Canonical read(std::string_view name, Bytes bytes) const override {
    Canonical canonical;
    Input in(bytes);
    Walk(canonical).message(types_.message(name), in);
    if (!in.rest().empty()) throw MalformedMessage("bytes follow the message");
    return canonical;
  }

 private:
  Descriptors types_;
};

}  // namespace

std::unique_ptr<IndependentReader> messagepack_reader(std::string_view file_descriptor_set) {
  return std::make_unique<Reader>(file_descriptor_set);
}

}  // namespace wirecost::verify
