// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds_type.hpp"

#include <cstring>
#include <memory>
#include <new>

namespace wirecost::middleware {

namespace {

using Bytes = std::span<const std::byte>;
/// What a payload has room for at first.
constexpr std::uint32_t usual_bytes = 256;

}  // namespace

RawType::RawType(const std::string& name) {
  setName(name.c_str());
  m_typeSize = usual_bytes;
  m_isGetKeyDefined = false;
  auto_fill_type_object(false);
  auto_fill_type_information(false);
}

bool RawType::serialize(void* data, Payload* payload) {
  const Bytes bytes = *static_cast<Bytes*>(data);
  if (bytes.size() > payload->max_size || bytes.size() < 2) return false;
  std::memcpy(payload->data, bytes.data(), bytes.size());
  payload->length = static_cast<std::uint32_t>(bytes.size());
  payload->encapsulation = (bytes[1] & std::byte{1}) == std::byte{0} ? CDR_BE : CDR_LE;
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
  return [size = static_cast<Bytes*>(data)->size()] { return static_cast<std::uint32_t>(size); };
}

void* RawType::createData() { return new Message; }

void RawType::deleteData(void* data) { delete static_cast<Message*>(data); }

bool RawType::getKey(void*, eprosima::fastrtps::rtps::InstanceHandle_t*, bool) { return false; }

}  // namespace wirecost::middleware
