// SPDX-License-Identifier: Apache-2.0
// Eclipse Cyclone DDS through its C interface: std_msgs/UInt8MultiArray over UDP.
#include <dds/dds.h>
#include <dds/version.h>

#include <array>
#include <utility>

#include "bench/transport/middleware.hpp"
#include "bench/transport/middlewares/domain.hpp"
#include "uint8_multi_array.h"

namespace wirecost::bench::transport {

namespace {

using Message = std_msgs_msg_dds__UInt8MultiArray_;

/// That a writer keeps for readers which need all, and how long it waits for room.
constexpr std::int32_t unread_messages = 64;
constexpr dds_duration_t most_waiting = DDS_MSECS(100);

dds_entity_t checked(dds_entity_t entity, const char* what) {
  if (entity < 0) throw Failure(std::string(what) + ": " + dds_strretcode(-entity));
  return entity;
}

/// On loopback there is no multicast; participants are found by their ports.
std::string configuration(const Domain& domain) {
  std::string text =
      "<General><Interfaces><NetworkInterface address=\"" + domain.interface + "\"/></Interfaces>";
  if (domain.is_loopback())
    text +=
        "<AllowMulticast>false</AllowMulticast></General><Discovery>"
        "<ParticipantIndex>auto</ParticipantIndex>"
        "<MaxAutoParticipantIndex>100</MaxAutoParticipantIndex>"
        "<Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery>";
  else
    text += "</General>";
  return text;
}

/// A participant with one topic and its quality of service; all of it ends with the domain.
class Topic {
 public:
  explicit Topic(const Settings& settings) : qos_(dds_create_qos()) {
    const Domain domain(settings.address);
    domain_ = checked(dds_create_domain(domain.number, configuration(domain).c_str()), "domain");
    participant_ = checked(dds_create_participant(domain.number, nullptr, nullptr), "participant");
    topic_ = checked(dds_create_topic(participant_, &std_msgs_msg_dds__UInt8MultiArray__desc,
                                      dds_topic(settings).c_str(), nullptr, nullptr),
                     "topic");
    if (settings.reliable)
      dds_qset_reliability(
          qos_, *settings.reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
          most_waiting);
    if (settings.queue > 0 && settings.wants_all() && !settings.is_set("keep_last")) {
      dds_qset_history(qos_, DDS_HISTORY_KEEP_ALL, 0);
      dds_qset_resource_limits(qos_, unread_messages, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    } else if (settings.queue > 0) {
      dds_qset_history(qos_, DDS_HISTORY_KEEP_LAST, settings.queue);
    }
  }
  Topic(const Topic&) = delete;
  Topic& operator=(const Topic&) = delete;
  ~Topic() {
    dds_delete(domain_);
    dds_delete_qos(qos_);
  }

  [[nodiscard]] dds_entity_t writer() const {
    return checked(dds_create_writer(participant_, topic_, qos_, nullptr), "writer");
  }
  [[nodiscard]] dds_entity_t reader() const {
    return checked(dds_create_reader(participant_, topic_, qos_, nullptr), "reader");
  }
  [[nodiscard]] dds_entity_t waitset() const {
    return checked(dds_create_waitset(participant_), "waitset");
  }

 private:
  dds_qos_t* qos_;
  dds_entity_t domain_ = 0;
  dds_entity_t participant_ = 0;
  dds_entity_t topic_ = 0;
};

class CyclonePublisher : public Publisher {
 public:
  explicit CyclonePublisher(const Settings& settings)
      : topic_(settings), writer_(topic_.writer()) {}

  bool publish(Bytes message) override {
    Message sent{};
    sent.data._length = sent.data._maximum = static_cast<std::uint32_t>(message.size());
    // It is only read.
    sent.data._buffer =
        const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(message.data()));
    return dds_write(writer_, &sent) == DDS_RETCODE_OK;
  }

 private:
  Topic topic_;
  dds_entity_t writer_;
};

class CycloneSubscriber : public Subscriber {
 public:
  CycloneSubscriber(const Settings& settings, OnMessage on_message)
      : on_message_(std::move(on_message)),
        topic_(settings),
        reader_(topic_.reader()),
        waitset_(topic_.waitset()) {
    dds_set_status_mask(reader_, DDS_DATA_AVAILABLE_STATUS);
    dds_waitset_attach(waitset_, reader_, reader_);
  }

  void poll(std::chrono::milliseconds time) override {
    if (dds_waitset_wait(waitset_, nullptr, 0, DDS_MSECS(time.count())) <= 0) return;
    std::array<void*, 1> samples{nullptr};
    std::array<dds_sample_info_t, 1> infos{};
    while (dds_take(reader_, samples.data(), infos.data(), 1, 1) > 0) {
      const auto& data = static_cast<const Message*>(samples[0])->data;
      if (infos[0].valid_data)
        on_message_({reinterpret_cast<const std::byte*>(data._buffer), data._length});
      dds_return_loan(reader_, samples.data(), 1);
    }
  }

 private:
  OnMessage on_message_;
  Topic topic_;
  dds_entity_t reader_;
  dds_entity_t waitset_;
};

}  // namespace

Library library() { return {"Cyclone DDS", DDS_VERSION, {"cyclone"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<CyclonePublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<CycloneSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
