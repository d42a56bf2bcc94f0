// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/discovery.hpp"

#include <algorithm>
#include <utility>

#include <fastdds/rtps/participant/ParticipantDiscoveryInfo.h>
#include <fastdds/rtps/reader/ReaderDiscoveryInfo.h>
#include <fastdds/rtps/writer/WriterDiscoveryInfo.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>

namespace wirecost::middleware {

namespace rtps = eprosima::fastrtps::rtps;

namespace {

constexpr std::size_t prefix_bytes = 12;

template <class Proxy>
FoundEndpoint endpoint_of(const Proxy& proxy, bool writer) {
  FoundEndpoint endpoint;
  endpoint.guid = guid_bytes(proxy.guid());
  endpoint.writer = writer;
  endpoint.topic = proxy.topicName().to_string();
  endpoint.type = proxy.typeName().to_string();
  endpoint.qos = found(proxy.m_qos);
  const auto& data = proxy.m_qos.m_userData;
  endpoint.user_data.assign(data.begin(), data.end());
  return endpoint;
}

template <class Value>
std::vector<Value> values(const std::map<Guid, Value>& map) {
  std::vector<Value> all;
  all.reserve(map.size());
  for (const auto& [guid, value] : map) all.push_back(value);
  return all;
}

}  // namespace

Guid guid_bytes(const rtps::GUID_t& guid) {
  Guid bytes{};
  std::copy_n(guid.guidPrefix.value, prefix_bytes, bytes.begin());
  std::copy_n(guid.entityId.value, bytes.size() - prefix_bytes, bytes.begin() + prefix_bytes);
  return bytes;
}

rtps::GUID_t to_guid(const Guid& bytes) {
  rtps::GUID_t guid;
  std::copy_n(bytes.begin(), prefix_bytes, guid.guidPrefix.value);
  std::copy_n(bytes.begin() + prefix_bytes, bytes.size() - prefix_bytes, guid.entityId.value);
  return guid;
}

std::vector<FoundParticipant> Discovery::participants() const {
  const std::lock_guard lock(mutex_);
  return values(participants_);
}

std::vector<FoundEndpoint> Discovery::endpoints() const {
  const std::lock_guard lock(mutex_);
  return values(endpoints_);
}

std::optional<DdsQos> Discovery::qos_of(const Guid& endpoint) const {
  const std::lock_guard lock(mutex_);
  const auto at = endpoints_.find(endpoint);
  if (at == endpoints_.end()) return std::nullopt;
  return at->second.qos;
}

std::uint64_t Discovery::wait(std::uint64_t seen, std::chrono::nanoseconds timeout) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] { return changes_ > seen; });
  return changes_;
}

void Discovery::on_participant_discovery(Participant*, rtps::ParticipantDiscoveryInfo&& change) {
  using Info = rtps::ParticipantDiscoveryInfo;
  const auto& proxy = change.info;
  const Guid guid = guid_bytes(proxy.m_guid);
  const std::lock_guard lock(mutex_);
  if (change.status == Info::REMOVED_PARTICIPANT || change.status == Info::DROPPED_PARTICIPANT) {
    participants_.erase(guid);
    // A participant that was killed announces no end of its endpoints.
    std::erase_if(endpoints_, [&](const auto& endpoint) {
      return std::equal(guid.begin(), guid.begin() + prefix_bytes, endpoint.first.begin());
    });
  } else {
    FoundParticipant& participant = participants_[guid];
    participant.guid = guid;
    participant.name = proxy.m_participantName.to_string();
    participant.vendor = static_cast<std::uint16_t>(proxy.m_VendorId[0] << 8 | proxy.m_VendorId[1]);
    participant.user_data.assign(proxy.m_userData.begin(), proxy.m_userData.end());
    participant.properties.clear();
    for (const auto& property : proxy.m_properties)
      participant.properties.insert_or_assign(property.first(), property.second());
    participant.ports.clear();
    for (const auto* locators : {&proxy.metatraffic_locators, &proxy.default_locators})
      for (const auto& locator : locators->unicast)
        if (locator.kind == LOCATOR_KIND_UDPv4) participant.ports.insert(locator.port);
  }
  ++changes_;
  changed_.notify_all();
}

void Discovery::on_subscriber_discovery(Participant* here, rtps::ReaderDiscoveryInfo&& change) {
  if (change.status == rtps::ReaderDiscoveryInfo::REMOVED_READER)
    forget(guid_bytes(change.info.guid()));
  else
    keep(*here, endpoint_of(change.info, false));
}

void Discovery::on_publisher_discovery(Participant* here, rtps::WriterDiscoveryInfo&& change) {
  if (change.status == rtps::WriterDiscoveryInfo::REMOVED_WRITER)
    forget(guid_bytes(change.info.guid()));
  else
    keep(*here, endpoint_of(change.info, true));
}

void Discovery::keep(const Participant& here, FoundEndpoint endpoint) {
  const Guid guid = endpoint.guid;
  // Fast DDS reports the participant's own endpoints, too.
  if (to_guid(guid).guidPrefix == here.guid().guidPrefix) return;
  const std::lock_guard lock(mutex_);
  endpoints_.insert_or_assign(guid, std::move(endpoint));
  ++changes_;
  changed_.notify_all();
}

void Discovery::forget(const Guid& endpoint) {
  const std::lock_guard lock(mutex_);
  endpoints_.erase(endpoint);
  ++changes_;
  changed_.notify_all();
}

}  // namespace wirecost::middleware
