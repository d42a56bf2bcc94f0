// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include <fastdds/dds/topic/TopicDataType.hpp>

#include "wirecost/middleware/queue.hpp"

namespace wirecost::middleware {

/// A message's bytes, in order, as they lie; the first piece has at least the encapsulation.
using Pieces = std::span<const std::span<const std::byte>>;

std::size_t bytes_of(Pieces pieces);

/// A type of any name whose messages are the serialized bytes, with the four bytes of encapsulation
/// before them, untouched and without key. Written are `Pieces`, read are `Message`s, of which it
/// sets bytes and size.
class RawType final : public eprosima::fastdds::dds::TopicDataType {
 public:
  explicit RawType(const std::string& name);

  using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;
  bool serialize(void* data, Payload* payload) override;
  bool deserialize(Payload* payload, void* data) override;
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override;
  void* createData() override;
  void deleteData(void* data) override;
  bool getKey(void* data, eprosima::fastrtps::rtps::InstanceHandle_t* handle,
              bool force_md5) override;
};

}  // namespace wirecost::middleware
