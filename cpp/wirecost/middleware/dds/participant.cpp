// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/participant.hpp"

#include <memory>
#include <stdexcept>

#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#include <fastrtps/xmlparser/XMLProfileManager.h>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>

#include "wirecost/middleware/dds/gate.hpp"
#include "wirecost/middleware/dds/type.hpp"

namespace wirecost::middleware {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

namespace {

/// As much as the kernel grants; a message of several MB is a burst of datagrams of 64 KB.
constexpr std::uint32_t socket_bytes = 64U << 20U;
/// Every index that a participant without multicast may have (RTPS 9.6.1.3 leaves room for 120).
constexpr std::uint32_t participants_a_host = 120;
/// Beyond it there are no port numbers, and Fast DDS ends the program.
constexpr std::uint32_t last_domain = 232;

/// Port 0 is every participant's.
rtps::Locator_t locator(const char* address, std::uint32_t port) {
  rtps::Locator_t locator;
  locator.port = port;
  locator.kind = LOCATOR_KIND_UDPv4;
  rtps::IPLocator::setIPv4(locator, address);
  return locator;
}

std::shared_ptr<Gate> gated_udp(const std::vector<std::string>& interfaces,
                                const std::shared_ptr<Acknowledgements>& acknowledgements,
                                std::chrono::nanoseconds newcomers_wait) {
  const auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->interfaceWhiteList = interfaces;
  udp->sendBufferSize = socket_bytes;
  udp->receiveBufferSize = socket_bytes;
  udp->maxInitialPeersRange = participants_a_host;
  return std::make_shared<Gate>(udp, acknowledgements, newcomers_wait);
}

dds::DomainParticipantQos participant_qos(std::uint32_t domain, const std::string& name,
                                          const std::vector<std::uint8_t>& user_data,
                                          const std::shared_ptr<Gate>& gate) {
  dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
  qos.name(name);
  qos.user_data().setValue(user_data);

  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(gate);

  auto& builtin = qos.wire_protocol().builtin;
  const rtps::PortParameters& ports = qos.wire_protocol().port;
  const std::uint32_t multicast_port = ports.getMulticastPort(domain);
  // Loopback often lacks multicast, and what listens there may not have joined it.
  builtin.initialPeersList.push_back(locator("127.0.0.1", 0));
  builtin.initialPeersList.push_back(locator("239.255.0.1", multicast_port));
  builtin.discovery_config.leaseDuration = {10, 0};
  builtin.discovery_config.leaseDuration_announcementperiod = {1, 0};
  return qos;
}

/// To participants of this process, too: past the network, nobody acknowledges anything.
void speak_over_the_network() {
  eprosima::fastrtps::LibrarySettingsAttributes settings;
  settings.intraprocess_delivery = eprosima::fastrtps::INTRAPROCESS_OFF;
  eprosima::fastrtps::xmlparser::XMLProfileManager::library_settings(settings);
}

}  // namespace

DdsParticipant::DdsParticipant(std::uint32_t domain, const std::string& name,
                               const std::vector<std::uint8_t>& user_data,
                               const std::vector<std::string>& interfaces,
                               std::chrono::nanoseconds newcomers_wait) {
  if (domain > last_domain)
    throw std::runtime_error("DDS domain " + std::to_string(domain) + ": the last is " +
                             std::to_string(last_domain));
  // Exceptions and counts report what goes wrong; the library's log would land in the output.
  dds::Log::ClearConsumers();
  speak_over_the_network();
  auto* const factory = dds::DomainParticipantFactory::get_instance();
  const auto gate = gated_udp(interfaces, acknowledgements_, newcomers_wait);
  participant_ = factory->create_participant(domain, participant_qos(domain, name, user_data, gate),
                                             &discovery_, dds::StatusMask::none());
  if (participant_ == nullptr)
    throw std::runtime_error("DDS domain " + std::to_string(domain) +
                             " cannot be joined: too many participants, or no such interface");
  guid_ = guid_bytes(participant_->guid());
  gate->open();
  publisher_ = participant_->create_publisher(dds::PUBLISHER_QOS_DEFAULT);
  subscriber_ = participant_->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT);
}

DdsParticipant::~DdsParticipant() { leave(); }

void DdsParticipant::close() {
  const std::lock_guard lock(mutex_);
  if (endpoints_ > 0) throw std::logic_error("a DDS participant is closed after its endpoints");
  leave();
}

void DdsParticipant::leave() {
  if (participant_ == nullptr) return;
  participant_->set_listener(nullptr);
  participant_->delete_contained_entities();
  dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
  participant_ = nullptr;
}

dds::Topic* DdsParticipant::topic(const std::string& name, const std::string& type) {
  if (participant_ == nullptr) throw std::runtime_error("the DDS participant is closed");
  dds::Topic*& topic = topics_[name];
  if (topic == nullptr) {
    dds::TypeSupport(new RawType(type)).register_type(participant_);
    topic = participant_->create_topic(name, type, dds::TOPIC_QOS_DEFAULT);
  }
  if (topic == nullptr) throw std::runtime_error("DDS topic " + name + ": not a valid name");
  if (topic->get_type_name() != type)
    throw std::runtime_error("DDS topic " + name + ": used with the types " +
                             topic->get_type_name() + " and " + type);
  return topic;
}

dds::DataReader* DdsParticipant::make_reader(const DdsEndpoint& endpoint,
                                             dds::DataReaderListener* listener) {
  const std::lock_guard lock(mutex_);
  dds::DataReaderQos qos = reader_qos(endpoint.qos);
  qos.user_data().setValue(endpoint.user_data);
  auto* const read = topic(endpoint.topic, endpoint.type);
  auto* const reader = subscriber_->create_datareader(
      read, qos, listener,
      dds::StatusMask::data_available() << dds::StatusMask::subscription_matched());
  if (reader == nullptr)
    throw std::runtime_error("DDS topic " + endpoint.topic + ": no reader of this quality");
  acknowledgements_->announced(false);
  ++endpoints_;
  return reader;
}

dds::DataWriter* DdsParticipant::make_writer(const DdsEndpoint& endpoint,
                                             dds::DataWriterListener* listener) {
  const std::lock_guard lock(mutex_);
  dds::DataWriterQos qos = writer_qos(endpoint.qos);
  qos.user_data().setValue(endpoint.user_data);
  auto* const written = topic(endpoint.topic, endpoint.type);
  auto* const writer =
      publisher_->create_datawriter(written, qos, listener, dds::StatusMask::publication_matched());
  if (writer == nullptr)
    throw std::runtime_error("DDS topic " + endpoint.topic + ": no writer of this quality");
  acknowledgements_->announced(true);
  ++endpoints_;
  return writer;
}

// The library waits for the listener here, so no lock is held.
void DdsParticipant::remove(dds::DataReader* reader) {
  subscriber_->delete_datareader(reader);
  acknowledgements_->announced(false);
  const std::lock_guard lock(mutex_);
  --endpoints_;
}

void DdsParticipant::remove(dds::DataWriter* writer) {
  publisher_->delete_datawriter(writer);
  acknowledgements_->announced(true);
  const std::lock_guard lock(mutex_);
  --endpoints_;
}

}  // namespace wirecost::middleware
