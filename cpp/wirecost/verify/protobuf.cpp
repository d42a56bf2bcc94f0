// SPDX-License-Identifier: Apache-2.0
// The independent reader of the Protobuf wire, with columns or without: reflection over the
// FileDescriptorSet.
#include "wirecost/verify/reader.hpp"

#include <google/protobuf/dynamic_message.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include "wirecost/verify/columns.hpp"
#include "wirecost/verify/descriptors.hpp"

namespace wirecost::verify {
namespace {

namespace pb = google::protobuf;
using Type = pb::FieldDescriptor::CppType;

class Walk {
 public:
  explicit Walk(Canonical& out) : out_(out) {}

  void fields(const pb::Message& message) {
    const pb::Reflection& reflection = *message.GetReflection();
    for (const pb::FieldDescriptor* field : sorted(message.GetDescriptor())) {
      if (field->is_repeated())
        list(message, reflection, field);
      else
        single(message, reflection, field);
    }
  }

 private:
  const std::vector<const pb::FieldDescriptor*>& sorted(const pb::Descriptor* type) {
    auto& fields = sorted_[type];
    if (fields.empty() && type->field_count() > 0) {
      for (int i = 0; i < type->field_count(); ++i)
        if (type->field(i)->number() < first_band) fields.push_back(type->field(i));
      std::ranges::sort(fields, {}, [](const auto* field) { return field->name(); });
    }
    return fields;
  }

  void single(const pb::Message& m, const pb::Reflection& r, const pb::FieldDescriptor* f) {
    const std::string& name = f->name();
    switch (f->cpp_type()) {
      case Type::CPPTYPE_MESSAGE:
        if (r.HasField(m, f)) {
          const auto mark = out_.enter(name);
          fields(r.GetMessage(m, f));
          out_.leave(mark);
        }
        break;
      case Type::CPPTYPE_STRING: out_.text(name, r.GetString(m, f)); break;
      case Type::CPPTYPE_DOUBLE: out_.real(name, r.GetDouble(m, f)); break;
      case Type::CPPTYPE_FLOAT: out_.real(name, r.GetFloat(m, f)); break;
      case Type::CPPTYPE_BOOL: out_.integer(name, r.GetBool(m, f)); break;
      case Type::CPPTYPE_ENUM: out_.integer(name, r.GetEnumValue(m, f)); break;
      case Type::CPPTYPE_INT32: out_.integer(name, r.GetInt32(m, f)); break;
      case Type::CPPTYPE_INT64: out_.integer(name, r.GetInt64(m, f)); break;
      case Type::CPPTYPE_UINT32: out_.integer(name, r.GetUInt32(m, f)); break;
      case Type::CPPTYPE_UINT64:
        out_.integer(name, static_cast<std::int64_t>(r.GetUInt64(m, f)));
        break;
    }
  }

  void list(const pb::Message& m, const pb::Reflection& r, const pb::FieldDescriptor* f) {
    const pb::FieldDescriptor* const columns = columns_of(f);
    if (columns != nullptr && r.HasField(m, columns)) {
      walk_columns(out_, f->name(), f->message_type(), r.GetMessage(m, columns));
      return;
    }
    const int count = r.FieldSize(m, f);
    if (count == 0) return;
    out_.list(f->name(), static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i) element(m, r, f, i);
  }

  void element(const pb::Message& m, const pb::Reflection& r, const pb::FieldDescriptor* f, int i) {
    switch (f->cpp_type()) {
      case Type::CPPTYPE_MESSAGE:
        out_.enter({});
        fields(r.GetRepeatedMessage(m, f, i));
        out_.leave_element();
        break;
      case Type::CPPTYPE_STRING: out_.text_element({}, r.GetRepeatedString(m, f, i)); break;
      case Type::CPPTYPE_DOUBLE: out_.real_element(r.GetRepeatedDouble(m, f, i)); break;
      case Type::CPPTYPE_FLOAT: out_.real_element(r.GetRepeatedFloat(m, f, i)); break;
      case Type::CPPTYPE_BOOL: out_.integer_element(r.GetRepeatedBool(m, f, i)); break;
      case Type::CPPTYPE_ENUM: out_.integer_element(r.GetRepeatedEnumValue(m, f, i)); break;
      case Type::CPPTYPE_INT32: out_.integer_element(r.GetRepeatedInt32(m, f, i)); break;
      case Type::CPPTYPE_INT64: out_.integer_element(r.GetRepeatedInt64(m, f, i)); break;
      case Type::CPPTYPE_UINT32: out_.integer_element(r.GetRepeatedUInt32(m, f, i)); break;
      case Type::CPPTYPE_UINT64:
        out_.integer_element(static_cast<std::int64_t>(r.GetRepeatedUInt64(m, f, i)));
        break;
    }
  }

  Canonical& out_;
  std::unordered_map<const pb::Descriptor*, std::vector<const pb::FieldDescriptor*>> sorted_;
};

class Reader : public IndependentReader {
 public:
  explicit Reader(std::string_view schema) : types_(schema) {}

  Canonical read(std::string_view name, Bytes bytes) const override {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw MalformedMessage("the message is 2 GiB or longer");
    pb::DynamicMessageFactory factory;
    const std::unique_ptr<pb::Message> message(factory.GetPrototype(types_.message(name))->New());
    if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      throw MalformedMessage("not a Protobuf message osi3." + std::string(name));
    Canonical canonical;
    Walk(canonical).fields(*message);
    return canonical;
  }

 private:
  Descriptors types_;
};

}  // namespace

std::unique_ptr<IndependentReader> protobuf_reader(std::string_view file_descriptor_set) {
  return std::make_unique<Reader>(file_descriptor_set);
}

}  // namespace wirecost::verify
