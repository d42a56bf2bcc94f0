// SPDX-License-Identifier: Apache-2.0
#include "compile/random_message.hpp"

#include <google/protobuf/descriptor.h>

#include <array>
#include <cmath>
#include <limits>

namespace wirecost::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::uint64_t number(Random& random) {
  const std::uint64_t wide = (std::uint64_t{random()} << 32U) | random();
  const std::array<std::uint64_t, 6> choices{
      0, 1, wide % 300, ~std::uint64_t{0}, wide, wide >> (wide % 64)};
  return choices[below(random, choices.size())];
}

double real(Random& random) {
  const std::array<double, 5> choices{0.0, -0.0, 1.5, std::numeric_limits<double>::infinity(),
                                      std::ldexp(random(), static_cast<int>(random() % 90) - 60)};
  return choices[below(random, choices.size())];
}

std::string characters(Random& random, bool any_byte) {
  std::string made;
  for (unsigned left = below(random, 40); left > 0; --left) {
    if (any_byte) {
      made += static_cast<char>(random());
    } else {
      made += below(random, 5) == 0 ? "€" : std::string(1, static_cast<char>(random() % 128));
    }
  }
  return made;
}

// Sets a single field, or adds to a repeated one.
void give(Message& m, const FieldDescriptor* field, Random& random, int depth) {
  const Reflection& r = *m.GetReflection();
  const bool add = field->is_repeated();
#define WIRECOST_GIVE(type, value) \
  add ? r.Add##type(&m, field, value) : r.Set##type(&m, field, value)
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return WIRECOST_GIVE(Int32, static_cast<std::int32_t>(number(random)));
    case FieldDescriptor::CPPTYPE_INT64:
      return WIRECOST_GIVE(Int64, static_cast<std::int64_t>(number(random)));
    case FieldDescriptor::CPPTYPE_UINT32:
      return WIRECOST_GIVE(UInt32, static_cast<std::uint32_t>(number(random)));
    case FieldDescriptor::CPPTYPE_UINT64: return WIRECOST_GIVE(UInt64, number(random));
    case FieldDescriptor::CPPTYPE_DOUBLE: return WIRECOST_GIVE(Double, real(random));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return WIRECOST_GIVE(Float, static_cast<float>(real(random)));
    case FieldDescriptor::CPPTYPE_BOOL: return WIRECOST_GIVE(Bool, random() % 2 == 0);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto& values = *field->enum_type();
      const auto index = below(random, static_cast<unsigned>(values.value_count()));
      return WIRECOST_GIVE(Enum, values.value(static_cast<int>(index)));
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return WIRECOST_GIVE(String,
                           characters(random, field->type() == FieldDescriptor::TYPE_BYTES));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return fill(add ? *r.AddMessage(&m, field) : *r.MutableMessage(&m, field), random, depth - 1);
  }
#undef WIRECOST_GIVE
}

std::string varint(std::uint64_t value) {
  std::string made;
  for (; value >= 0x80; value >>= 7U) made += static_cast<char>(value | 0x80U);
  return made + static_cast<char>(value);
}

std::uint64_t take_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
}

std::string_view take(std::string_view& in, std::size_t size) {
  const std::string_view taken = in.substr(0, size);
  in.remove_prefix(size);
  return taken;
}

// The value behind a tag that is no group's.
std::string_view take_value(std::string_view& in, unsigned wire_type) {
  const std::string_view before = in;
  if (wire_type == 0) take_varint(in);
  if (wire_type == 1) take(in, 8);
  if (wire_type == 5) take(in, 4);
  if (wire_type == 2) {
    const std::uint64_t size = take_varint(in);
    return take(in, size);
  }
  return before.substr(0, before.size() - in.size());
}

unsigned element_wire_type(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64: return 1;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32: return 5;
    default: return 0;
  }
}

// Elements of a repeated field, each packed with some of its neighbours or on its own.
void repack(std::string_view elements, const FieldDescriptor& field, Random& random,
            std::vector<std::string>& pieces) {
  const unsigned wire_type = element_wire_type(field);
  const auto number = static_cast<unsigned>(field.number()) << 3U;
  std::string part;
  while (!elements.empty()) {
    const std::string_view element = take_value(elements, wire_type);
    if (below(random, 3) == 0) {
      pieces.push_back(varint(number | wire_type) + std::string(element));
      continue;
    }
    part += element;
    if (below(random, 3) != 0 && !elements.empty()) continue;
    pieces.push_back(varint(number | 2U) + varint(part.size()) + part);
    part.clear();
  }
  if (!part.empty()) pieces.push_back(varint(number | 2U) + varint(part.size()) + part);
}

std::string unknown(Random& random) {
  const std::array<std::string, 5> choices{
      varint(1000U << 3U) + varint(number(random)),
      varint(1001U << 3U | 1U) + "12345678",
      varint(1002U << 3U | 2U) + varint(3) + "abc",
      varint(1003U << 3U | 3U) + varint(1U << 3U) + varint(7) + varint(1003U << 3U | 4U),
      varint(1004U << 3U | 5U) + "1234",
  };
  return choices[below(random, choices.size())];
}

// The content of a group up to its end tag, which is taken too.
std::string_view take_group(std::string_view& in) {
  const std::string_view before = in;
  for (;;) {
    const std::size_t content = before.size() - in.size();
    const auto wire_type = static_cast<unsigned>(take_varint(in) & 7U);
    if (wire_type == 4) return before.substr(0, content);
    if (wire_type == 3) {
      take_group(in);
    } else {
      take_value(in, wire_type);
    }
  }
}

}  // namespace

void fill(Message& message, Random& random, int depth) {
  const auto& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    const bool in_map_entry = type.map_key() != nullptr;
    const bool needed = field->is_required() || in_map_entry;
    if (!needed && (below(random, 2) == 0 || (field->message_type() != nullptr && depth <= 0))) {
      continue;
    }
    const unsigned count = field->is_repeated() ? below(random, 4) : 1;
    for (unsigned n = 0; n < count; ++n) give(message, field, random, depth);
  }
}

std::string scrambled(const std::string& bytes, const google::protobuf::Descriptor& type,
                      Random& random) {
  std::vector<std::string> pieces;
  for (std::string_view in = bytes; !in.empty();) {
    const std::uint64_t tag = take_varint(in);
    const auto wire_type = static_cast<unsigned>(tag & 7U);
    const auto& field = *type.FindFieldByNumber(static_cast<int>(tag >> 3U));
    if (wire_type == 3) {
      const std::string inner =
          scrambled(std::string(take_group(in)), *field.message_type(), random);
      pieces.push_back(varint(tag) + inner + varint(tag + 1));
      continue;
    }
    const std::string_view value = take_value(in, wire_type);
    if (field.is_packable()) {
      repack(value, field, random, pieces);
    } else if (field.message_type() != nullptr) {
      const unsigned times = field.is_repeated() ? 1 : 1 + below(random, 2);
      for (unsigned n = 0; n < times; ++n) {
        const std::string inner = scrambled(std::string(value), *field.message_type(), random);
        pieces.push_back(varint(tag) + varint(inner.size()) + inner);
      }
    } else {
      const std::string length = wire_type == 2 ? varint(value.size()) : "";
      pieces.push_back(varint(tag) + length + std::string(value));
    }
    if (below(random, 8) == 0) pieces.push_back(unknown(random));
  }
  for (std::size_t i = pieces.size(); i > 1; --i) {
    std::swap(pieces[i - 1], pieces[below(random, static_cast<unsigned>(i))]);
  }
  std::string made;
  for (const std::string& piece : pieces) made += piece;
  return made;
}

}  // namespace wirecost::test
