// SPDX-License-Identifier: Apache-2.0
// eProsima Fast DDS: std_msgs/UInt8MultiArray over UDP, as the Python client sends it; by itself it
// would take shared memory on one machine, as it does here with the option `shared_memory`.
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <fastrtps/config.h>
#include <fastrtps/utils/IPLocator.h>

#include <cstring>
#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "bench/transport/middleware.hpp"
#include "bench/transport/middlewares/domain.hpp"

namespace wirecost::bench::transport {

namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastrtps::types::ReturnCode_t;

constexpr const char* type_name = "std_msgs::msg::dds_::UInt8MultiArray_";
/// Encapsulation, no dimensions, no offset, and the number of the bytes that follow.
constexpr std::uint32_t head_bytes = 16;
/// What the kernel grants of it is for both clients the same.
constexpr std::uint32_t socket_bytes = 64U << 20U;
constexpr std::uint32_t participants_a_host = 120;
/// As the Python client has them.
const eprosima::fastrtps::Duration_t heartbeat_response{0, 1'000'000U};
const eprosima::fastrtps::Duration_t heartbeat_period{0, 50'000'000U};
const eprosima::fastrtps::Duration_t repair_delay{0, 1'000'000U};
/// Messages that a writer keeps for readers which need all, and such a reader.
constexpr std::int32_t unacknowledged = 64;
constexpr std::int32_t untaken = 1000;

/// A UInt8MultiArray; what is written is `Bytes`, what is read is `std::vector<std::byte>`.
class ArrayType : public dds::TopicDataType {
 public:
  explicit ArrayType(std::size_t bytes) {
    setName(type_name);
    m_typeSize = head_bytes + static_cast<std::uint32_t>(bytes);
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }

  bool serialize(void* data, rtps::SerializedPayload_t* payload) override {
    const Bytes& message = *static_cast<const Bytes*>(data);
    if (head_bytes + message.size() > payload->max_size) return false;
    const auto size = static_cast<std::uint32_t>(message.size());
    std::memset(payload->data, 0, head_bytes);
    payload->data[1] = 1;  // little-endian
    std::memcpy(payload->data + head_bytes - sizeof size, &size, sizeof size);
    std::memcpy(payload->data + head_bytes, message.data(), size);
    payload->encapsulation = CDR_LE;
    payload->length = head_bytes + size;
    return true;
  }

  bool deserialize(rtps::SerializedPayload_t* payload, void* data) override {
    std::uint32_t size = 0;
    if (payload->length < head_bytes) return false;
    std::memcpy(&size, payload->data + head_bytes - sizeof size, sizeof size);
    if (size > payload->length - head_bytes) return false;
    const auto* const begin = reinterpret_cast<const std::byte*>(payload->data + head_bytes);
    static_cast<std::vector<std::byte>*>(data)->assign(begin, begin + size);
    return true;
  }

  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
    return [size = static_cast<const Bytes*>(data)->size()] {
      return head_bytes + static_cast<std::uint32_t>(size);
    };
  }
  void* createData() override { return new std::vector<std::byte>; }
  void deleteData(void* data) override { delete static_cast<std::vector<std::byte>*>(data); }
  bool getKey(void*, rtps::InstanceHandle_t*, bool) override { return false; }
};

dds::DomainParticipantQos participant_qos(const Domain& domain, const Settings& settings) {
  dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
  if (settings.is_set("shared_memory")) {
    const auto memory = std::make_shared<eprosima::fastdds::rtps::SharedMemTransportDescriptor>();
    if (const auto found = settings.options.find("segment_bytes"); found != settings.options.end())
      memory->segment_size(static_cast<std::uint32_t>(std::stoul(found->second)));
    qos.transport().user_transports.push_back(memory);
  }
  const auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->interfaceWhiteList = {domain.interface};
  udp->sendBufferSize = socket_bytes;
  udp->receiveBufferSize = socket_bytes;
  udp->maxInitialPeersRange = participants_a_host;
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(udp);
  if (domain.is_loopback()) {  // which often lacks multicast
    rtps::Locator_t peer;
    peer.kind = LOCATOR_KIND_UDPv4;
    rtps::IPLocator::setIPv4(peer, domain.interface);
    qos.wire_protocol().builtin.initialPeersList.push_back(peer);
  }
  return qos;
}

/// `unread`: messages that an endpoint keeps which needs all.
template <class Qos>
Qos endpoint_qos(Qos qos, const Settings& settings, std::int32_t unread) {
  if (settings.reliable)
    qos.reliability().kind =
        *settings.reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.data_sharing().off();
  if (settings.queue > 0) {
    const bool all = settings.wants_all() && !settings.is_set("keep_last");
    const std::int32_t limit = all ? unread : settings.queue;
    qos.history().kind = all ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
    qos.history().depth = settings.queue;
    qos.resource_limits().max_samples = limit;
    qos.resource_limits().max_instances = 1;
    qos.resource_limits().max_samples_per_instance = limit;
    qos.resource_limits().allocated_samples = 1;
  }
  return qos;
}

class Participant {
 public:
  explicit Participant(const Settings& settings) {
    const Domain domain(settings.address);
    auto* const factory = dds::DomainParticipantFactory::get_instance();
    participant_ = factory->create_participant(domain.number, participant_qos(domain, settings));
    if (participant_ == nullptr) throw Failure("DDS domain " + settings.address + ": not joined");
    dds::TypeSupport(new ArrayType(settings.bytes)).register_type(participant_);
    topic_ = participant_->create_topic(dds_topic(settings), type_name, dds::TOPIC_QOS_DEFAULT);
  }
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;
  ~Participant() {
    participant_->delete_contained_entities();
    dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
  }

  dds::DataWriter* writer(const Settings& settings) {
    auto* const publisher = participant_->create_publisher(dds::PUBLISHER_QOS_DEFAULT);
    auto qos = endpoint_qos(dds::DATAWRITER_QOS_DEFAULT, settings, unacknowledged);
    if (settings.wants_all()) {
      qos.reliable_writer_qos().times.heartbeatPeriod = heartbeat_period;
      qos.reliable_writer_qos().times.nackResponseDelay = repair_delay;
    }
    auto* const writer = publisher->create_datawriter(topic_, qos);
    if (writer == nullptr) throw Failure("Fast DDS: no writer with these settings");
    return writer;
  }
  dds::DataReader* reader(const Settings& settings) {
    auto* const subscriber = participant_->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT);
    auto qos = endpoint_qos(dds::DATAREADER_QOS_DEFAULT, settings, untaken);
    // As the Python client has it. Each heartbeat starts the delay anew, so that with the usual 5
    // ms a reader whose heartbeats come more often acknowledges nothing, and the writer's history
    // fills.
    if (settings.wants_all())
      qos.reliable_reader_qos().times.heartbeatResponseDelay = heartbeat_response;
    auto* const reader = subscriber->create_datareader(topic_, qos);
    if (reader == nullptr) throw Failure("Fast DDS: no reader with these settings");
    return reader;
  }

 private:
  dds::DomainParticipant* participant_ = nullptr;
  dds::Topic* topic_ = nullptr;
};

class FastDdsPublisher : public Publisher {
 public:
  explicit FastDdsPublisher(const Settings& settings)
      : participant_(settings), writer_(participant_.writer(settings)) {}

  bool publish(Bytes message) override { return writer_->write(&message); }

 private:
  Participant participant_;
  dds::DataWriter* writer_;
};

class FastDdsSubscriber : public Subscriber {
 public:
  FastDdsSubscriber(const Settings& settings, OnMessage on_message)
      : on_message_(std::move(on_message)),
        participant_(settings),
        reader_(participant_.reader(settings)) {
    auto& condition = reader_->get_statuscondition();
    condition.set_enabled_statuses(dds::StatusMask::data_available());
    waiting_.attach_condition(condition);
  }

  void poll(std::chrono::milliseconds time) override {
    dds::ConditionSeq active;
    const eprosima::fastrtps::Duration_t limit(
        0, static_cast<std::uint32_t>(std::chrono::nanoseconds(time).count()));
    if (waiting_.wait(active, limit) != ReturnCode_t::RETCODE_OK) return;
    dds::SampleInfo info;
    while (reader_->take_next_sample(&message_, &info) == ReturnCode_t::RETCODE_OK)
      if (info.valid_data) on_message_({message_.data(), message_.size()});
  }

 private:
  OnMessage on_message_;
  Participant participant_;
  dds::DataReader* reader_;
  dds::WaitSet waiting_;
  std::vector<std::byte> message_;
};

}  // namespace

Library library() { return {"Fast DDS", FASTRTPS_VERSION_STR, {"dds"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<FastDdsPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<FastDdsSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
