// SPDX-License-Identifier: Apache-2.0
// The independent reader of FlatBuffers, tables and structs: reflection over a binary schema.
// Buffers are verified first, so a hostile one is refused and never followed.
#include <flatbuffers/reflection.h>

#include <limits>
#include <string>

#include "wirecost/codec/independent_readers.hpp"

namespace wirecost::flatbuffer {
namespace {

class Walk {
 public:
  Walk(const reflection::Schema& schema, Canonical& out) : schema_(schema), out_(out) {}

  void table(const reflection::Object& type, const flatbuffers::Table& table) {
    for (const reflection::Field* field : *type.fields()) table_field(*field, table);
  }

 private:
  void table_field(const reflection::Field& field, const flatbuffers::Table& table) {
    const std::string_view name = field.name()->string_view();
    switch (field.type()->base_type()) {
      case reflection::Obj: object(field, table, name); break;
      case reflection::Vector: list(field, table, name); break;
      case reflection::String:
        if (const auto* text = flatbuffers::GetFieldS(table, field))
          out_.text(name, text->string_view());
        break;
      case reflection::Float:
      case reflection::Double: out_.real(name, flatbuffers::GetAnyFieldF(table, field)); break;
      default: out_.integer(name, flatbuffers::GetAnyFieldI(table, field)); break;
    }
  }

  void object(const reflection::Field& field, const flatbuffers::Table& table,
              std::string_view name) {
    const reflection::Object& type = type_of(field);
    const auto mark = out_.enter(name);
    if (type.is_struct()) {
      if (const auto* value = flatbuffers::GetFieldStruct(table, field)) structure(type, *value);
    } else if (const auto* value = flatbuffers::GetFieldT(table, field)) {
      this->table(type, *value);
    }
    out_.leave(mark);
  }

  void structure(const reflection::Object& type, const flatbuffers::Struct& value) {
    for (const reflection::Field* field : *type.fields()) {
      const std::string_view name = field->name()->string_view();
      switch (field->type()->base_type()) {
        case reflection::Obj: {
          const auto mark = out_.enter(name);
          structure(type_of(*field), *value.GetStruct<const flatbuffers::Struct*>(field->offset()));
          out_.leave(mark);
          break;
        }
        case reflection::Float:
        case reflection::Double: out_.real(name, flatbuffers::GetAnyFieldF(value, *field)); break;
        default: out_.integer(name, flatbuffers::GetAnyFieldI(value, *field)); break;
      }
    }
  }

  void list(const reflection::Field& field, const flatbuffers::Table& table,
            std::string_view name) {
    const auto* vector = flatbuffers::GetFieldAnyV(table, field);
    if (vector == nullptr || vector->size() == 0) return;
    const reflection::BaseType element = field.type()->element();
    if (element == reflection::UByte) {  // Protobuf's `bytes`
      out_.text(name, {reinterpret_cast<const char*>(vector->Data()), vector->size()});
      return;
    }
    out_.list(name, vector->size());
    for (flatbuffers::uoffset_t i = 0; i < vector->size(); ++i) {
      if (element == reflection::Obj)
        object_element(type_of(field), *vector, i);
      else if (element == reflection::String)
        out_.text_element({},
                          flatbuffers::GetAnyVectorElemPointer<const flatbuffers::String>(vector, i)
                              ->string_view());
      else if (element == reflection::Float || element == reflection::Double)
        out_.real_element(flatbuffers::GetAnyVectorElemF(vector, element, i));
      else
        out_.integer_element(flatbuffers::GetAnyVectorElemI(vector, element, i));
    }
  }

  void object_element(const reflection::Object& type, const flatbuffers::VectorOfAny& vector,
                      flatbuffers::uoffset_t i) {
    out_.enter({});
    if (type.is_struct())
      structure(type, *flatbuffers::GetAnyVectorElemAddressOf<const flatbuffers::Struct>(
                          &vector, i, static_cast<std::size_t>(type.bytesize())));
    else
      table(type, *flatbuffers::GetAnyVectorElemPointer<const flatbuffers::Table>(&vector, i));
    out_.leave_element();
  }

  const reflection::Object& type_of(const reflection::Field& field) const {
    return *schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(field.type()->index()));
  }

  const reflection::Schema& schema_;
  Canonical& out_;
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
    const reflection::Object& type = find(schema, name);
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    constexpr flatbuffers::uoffset_t depth = 64;
    constexpr auto tables = std::numeric_limits<flatbuffers::uoffset_t>::max();
    // The library's Verify follows the root's offset before it looks at the size.
    constexpr std::size_t smallest =
        sizeof(flatbuffers::uoffset_t) + sizeof(flatbuffers::soffset_t);
    if (bytes.size() < smallest || bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE ||
        !flatbuffers::Verify(schema, type, data, bytes.size(), depth, tables))
      throw MalformedMessage("not a FlatBuffers message " + std::string(name));
    Canonical canonical;
    Walk(schema, canonical).table(type, *flatbuffers::GetAnyRoot(data));
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

std::unique_ptr<IndependentReader> make_reader(std::string_view binary_schema) {
  return std::make_unique<Reader>(binary_schema);
}

}  // namespace wirecost::flatbuffer
