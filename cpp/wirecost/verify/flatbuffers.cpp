// SPDX-License-Identifier: Apache-2.0
// The independent reader of FlatBuffers, tables and structs. The library serves only to read the
// schema; the message itself is followed here, every offset checked, because the library's own
// verifier over a schema reads out of bounds on broken buffers (2.0.8).
#include <flatbuffers/reflection.h>

#include <cstring>
#include <string>

#include "wirecost/verify/reader.hpp"

namespace wirecost::verify {
namespace {

/// The bytes of a message; every access is checked.
class Buffer {
 public:
  explicit Buffer(Bytes bytes) : bytes_(bytes) {}

  template <class T>
  T at(std::size_t position) const {
    T value;
    std::memcpy(&value, span(position, sizeof value).data(), sizeof value);
    return value;
  }

  Bytes span(std::size_t position, std::size_t size) const {
    if (position > bytes_.size() || bytes_.size() - position < size)
      throw MalformedMessage("a FlatBuffers offset leads out of the message");
    return bytes_.subspan(position, size);
  }

  /// Where the offset stored at `position` leads.
  std::size_t follow(std::size_t position) const { return position + at<std::uint32_t>(position); }

  /// Where a table keeps the field of a vtable slot; 0 if it does not.
  std::size_t field(std::size_t table, std::size_t slot) const {
    const auto vtable = static_cast<std::int64_t>(table) - at<std::int32_t>(table);
    if (vtable < 0) throw MalformedMessage("a FlatBuffers table lies before the message");
    const auto start = static_cast<std::size_t>(vtable);
    if (slot + sizeof(std::uint16_t) > at<std::uint16_t>(start)) return 0;
    const auto offset = at<std::uint16_t>(start + slot);
    return offset == 0 ? 0 : table + offset;
  }

  std::size_t size() const { return bytes_.size(); }

 private:
  Bytes bytes_;
};

bool is_real(reflection::BaseType type) {
  return type == reflection::Float || type == reflection::Double;
}

class Walk {
 public:
  Walk(const reflection::Schema& schema, Buffer buffer, Canonical& out)
      : schema_(schema), buffer_(buffer), out_(out), tables_left_(buffer.size()) {}

  void table(const reflection::Object& type, std::size_t position) {
    // Shared and circular offsets could unfold without end.
    if (tables_left_-- == 0 || depth_ == max_depth)
      throw MalformedMessage("FlatBuffers tables are nested or shared beyond measure");
    ++depth_;
    for (const reflection::Field* field : *type.fields())
      table_field(*field, buffer_.field(position, field->offset()));
    --depth_;
  }

 private:
  static constexpr int max_depth = 64;

  void table_field(const reflection::Field& field, std::size_t position) {
    const std::string_view name = field.name()->string_view();
    const reflection::BaseType type = field.type()->base_type();
    if (position == 0) {  // absent: a scalar still has its default
      if (is_real(type))
        out_.real(name, field.default_real());
      else if (type < reflection::String)
        out_.integer(name, field.default_integer());
      return;
    }
    switch (type) {
      case reflection::Obj: {
        const auto mark = out_.enter(name);
        object(type_of(field), position);
        out_.leave(mark);
        break;
      }
      case reflection::Vector: list(field, buffer_.follow(position), name); break;
      case reflection::String: out_.text(name, text(buffer_.follow(position))); break;
      default: scalar(name, type, position); break;
    }
  }

  /// A struct lies in place, a table behind an offset.
  void object(const reflection::Object& type, std::size_t position) {
    if (type.is_struct())
      structure(type, position);
    else
      table(type, buffer_.follow(position));
  }

  void structure(const reflection::Object& type, std::size_t position) {
    for (const reflection::Field* field : *type.fields()) {
      const std::string_view name = field->name()->string_view();
      if (field->type()->base_type() == reflection::Obj) {
        const auto mark = out_.enter(name);
        structure(type_of(*field), position + field->offset());
        out_.leave(mark);
      } else {
        scalar(name, field->type()->base_type(), position + field->offset());
      }
    }
  }

  void list(const reflection::Field& field, std::size_t position, std::string_view name) {
    const std::size_t count = buffer_.at<std::uint32_t>(position);
    const std::size_t first = position + sizeof(std::uint32_t);
    const reflection::BaseType element = field.type()->element();
    const std::size_t stride = element == reflection::Obj && type_of(field).is_struct()
                                   ? static_cast<std::size_t>(type_of(field).bytesize())
                                   : flatbuffers::GetTypeSize(element);
    buffer_.span(first, count * stride);  // the count is true before anything is made of it
    if (count == 0) return;
    if (element == reflection::UByte) {  // Protobuf's `bytes`
      out_.text(name, text(position));
      return;
    }
    out_.list(name, count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = first + i * stride;
      if (element == reflection::Obj) {
        out_.enter({});
        object(type_of(field), at);
        out_.leave_element();
      } else if (element == reflection::String) {
        out_.text_element({}, text(buffer_.follow(at)));
      } else if (is_real(element)) {
        out_.real_element(real(element, at));
      } else {
        out_.integer_element(integer(element, at));
      }
    }
  }

  void scalar(std::string_view name, reflection::BaseType type, std::size_t position) {
    if (is_real(type))
      out_.real(name, real(type, position));
    else
      out_.integer(name, integer(type, position));
  }

  double real(reflection::BaseType type, std::size_t position) const {
    return type == reflection::Float ? buffer_.at<float>(position) : buffer_.at<double>(position);
  }

  std::int64_t integer(reflection::BaseType type, std::size_t position) const {
    switch (type) {
      case reflection::Byte: return buffer_.at<std::int8_t>(position);
      case reflection::Short: return buffer_.at<std::int16_t>(position);
      case reflection::UShort: return buffer_.at<std::uint16_t>(position);
      case reflection::Int: return buffer_.at<std::int32_t>(position);
      case reflection::UInt: return buffer_.at<std::uint32_t>(position);
      case reflection::Long:
      case reflection::ULong: return buffer_.at<std::int64_t>(position);
      default: return buffer_.at<std::uint8_t>(position);  // Bool, UByte
    }
  }

  std::string_view text(std::size_t position) const {
    const std::size_t size = buffer_.at<std::uint32_t>(position);
    const Bytes bytes = buffer_.span(position + sizeof(std::uint32_t), size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const reflection::Object& type_of(const reflection::Field& field) const {
    return *schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(field.type()->index()));
  }

  const reflection::Schema& schema_;
  Buffer buffer_;
  Canonical& out_;
  std::size_t tables_left_;
  int depth_ = 0;
};

class Reader : public IndependentReader {
 public:
  explicit Reader(std::string_view schema) : bytes_(schema) {
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes_.data()),
                                   bytes_.size());
    if (!reflection::VerifySchemaBuffer(verifier))
      throw MalformedMessage("the schema is not a binary FlatBuffers schema");
  }

  Canonical read(std::string_view name, Bytes bytes) const override {
    const reflection::Schema& schema = *reflection::GetSchema(bytes_.data());
    const Buffer buffer(bytes);
    Canonical canonical;
    Walk(schema, buffer, canonical).table(find(schema, name), buffer.follow(0));
    return canonical;
  }

 private:
  static const reflection::Object& find(const reflection::Schema& schema, std::string_view name) {
    const std::string suffix = "." + std::string(name);
    for (const reflection::Object* object : *schema.objects())
      if (object->name()->string_view().ends_with(suffix)) return *object;
    throw MalformedMessage("no table " + std::string(name));
  }

  std::string bytes_;
};

}  // namespace

std::unique_ptr<IndependentReader> flatbuffers_reader(std::string_view binary_schema) {
  return std::make_unique<Reader>(binary_schema);
}

}  // namespace wirecost::verify
