// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/type.hpp"

#include <cstring>
#include <memory>
#include <new>

namespace wirecost::middleware {

namespace {

/// What a payload has room for at first.
constexpr std::uint32_t usual_bytes = 256;

}  // namespace

std::size_t bytes_of(Pieces pieces) {
  std::size_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.size();
  return bytes;
}

RawType::RawType(const std::string& name) {
  setName(name.c_str());
  m_typeSize = usual_bytes;
  m_isGetKeyDefined = false;
  auto_fill_type_object(false);
  auto_fill_type_information(false);
}

bool RawType::serialize(void* data, Payload* payload) {
  const Pieces pieces = *static_cast<Pieces*>(data);
  const std::size_t bytes = bytes_of(pieces);
  if (bytes > payload->max_size || pieces.empty() || pieces.front().size() < 2) return false;
  auto* end = payload->data;
  for (const auto& piece : pieces) {
    if (!piece.empty()) std::memcpy(end, piece.data(), piece.size());
    end += piece.size();
  }
  payload->length = static_cast<std::uint32_t>(bytes);
  const std::byte encapsulation = pieces.front()[1];
  payload->encapsulation = (encapsulation & std::byte{1}) == std::byte{0} ? CDR_BE : CDR_LE;
  return true;
}

bool RawType::deserialize(Payload* payload, void* data) {
  Message& message = *static_cast<Message*>(data);
  message.bytes.reset(new (std::nothrow) std::byte[payload->length]);
  if (!message.bytes) return false;
  if (payload->length > 0) std::memcpy(message.bytes.get(), payload->data, payload->length);
  message.size = payload->length;
  return true;
}

std::function<std::uint32_t()> RawType::getSerializedSizeProvider(void* data) {
  return
      [bytes = bytes_of(*static_cast<Pieces*>(data))] { return static_cast<std::uint32_t>(bytes); };
}

void* RawType::createData() { return new Message; }

void RawType::deleteData(void* data) { delete static_cast<Message*>(data); }

bool RawType::getKey(void*, eprosima::fastrtps::rtps::InstanceHandle_t*, bool) { return false; }

}  // namespace wirecost::middleware
