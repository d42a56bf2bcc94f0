// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fastdds/dds/domain/DomainParticipantListener.hpp>

#include "wirecost/middleware/dds/qos.hpp"

namespace wirecost::middleware {

/// As it stands on the wire: prefix of the participant (12 bytes), entity (4 bytes).
using Guid = std::array<std::uint8_t, 16>;

Guid guid_bytes(const eprosima::fastrtps::rtps::GUID_t& guid);
eprosima::fastrtps::rtps::GUID_t to_guid(const Guid& bytes);

struct FoundParticipant {
  Guid guid{};
  std::string name;
  /// The implementation's number at the Object Management Group: 0x010f Fast DDS, 0x0110 Cyclone.
  std::uint16_t vendor = 0;
  std::vector<std::uint8_t> user_data;
  std::map<std::string, std::string> properties;
  /// UDP ports at which it receives.
  std::set<std::uint32_t> ports;
};

struct FoundEndpoint {
  Guid guid{};
  bool writer = false;
  std::string topic, type;
  DdsQos qos;
  std::vector<std::uint8_t> user_data;
};

/// Who else is in the domain now.
class Discovery final : public eprosima::fastdds::dds::DomainParticipantListener {
 public:
  std::vector<FoundParticipant> participants() const;
  std::vector<FoundEndpoint> endpoints() const;
  std::optional<DdsQos> qos_of(const Guid& endpoint) const;
  /// Waits until more has changed than `seen` changes; the number of changes until now.
  std::uint64_t wait(std::uint64_t seen, std::chrono::nanoseconds timeout) const;

 private:
  using Participant = eprosima::fastdds::dds::DomainParticipant;
  void on_participant_discovery(
      Participant*, eprosima::fastrtps::rtps::ParticipantDiscoveryInfo&& change) override;
  void on_subscriber_discovery(Participant*,
                               eprosima::fastrtps::rtps::ReaderDiscoveryInfo&& change) override;
  void on_publisher_discovery(Participant*,
                              eprosima::fastrtps::rtps::WriterDiscoveryInfo&& change) override;
  void keep(const Participant& here, FoundEndpoint endpoint);
  void forget(const Guid& endpoint);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t changes_ = 0;
  std::map<Guid, FoundParticipant> participants_;
  std::map<Guid, FoundEndpoint> endpoints_;
};

}  // namespace wirecost::middleware
