// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>

#include "wirecost/middleware/dds/acknowledgements.hpp"
#include "wirecost/middleware/dds/discovery.hpp"

namespace wirecost::middleware {

/// What an endpoint announces of itself.
struct DdsEndpoint {
  std::string topic, type;
  DdsQos qos;
  std::vector<std::uint8_t> user_data;
};

/// A participant that speaks UDP on the given interfaces only. Shared memory is left out: a peer's
/// segment is too small for a lidar's message, and peers of another user could not open it.
class DdsParticipant {
 public:
  /// Throws std::runtime_error where the domain cannot be joined. Who appears later is not answered
  /// before `newcomers_wait`, in which others can find each other.
  DdsParticipant(std::uint32_t domain, const std::string& name,
                 const std::vector<std::uint8_t>& user_data,
                 const std::vector<std::string>& interfaces,
                 std::chrono::nanoseconds newcomers_wait = {});
  DdsParticipant(const DdsParticipant&) = delete;
  DdsParticipant& operator=(const DdsParticipant&) = delete;
  ~DdsParticipant();
  /// Leaves the domain. Throws std::logic_error while it has endpoints.
  void close();

  const Guid& guid() const { return guid_; }
  const Discovery& discovery() const { return discovery_; }
  const Acknowledgements& acknowledgements() const { return *acknowledgements_; }

  /// Both throw std::runtime_error where Fast DDS refuses, for instance since the topic is used
  /// with another type already, and where this is closed.
  eprosima::fastdds::dds::DataReader* make_reader(
      const DdsEndpoint& endpoint, eprosima::fastdds::dds::DataReaderListener* listener);
  eprosima::fastdds::dds::DataWriter* make_writer(
      const DdsEndpoint& endpoint, eprosima::fastdds::dds::DataWriterListener* listener);
  void remove(eprosima::fastdds::dds::DataReader* reader);
  void remove(eprosima::fastdds::dds::DataWriter* writer);

 private:
  void leave();
  eprosima::fastdds::dds::Topic* topic(const std::string& name, const std::string& type);

  Discovery discovery_;
  const std::shared_ptr<Acknowledgements> acknowledgements_ = std::make_shared<Acknowledgements>();
  Guid guid_{};
  /// Null once closed.
  eprosima::fastdds::dds::DomainParticipant* participant_ = nullptr;
  eprosima::fastdds::dds::Publisher* publisher_ = nullptr;
  eprosima::fastdds::dds::Subscriber* subscriber_ = nullptr;
  std::mutex mutex_;
  std::size_t endpoints_ = 0;
  std::map<std::string, eprosima::fastdds::dds::Topic*> topics_;
};

}  // namespace wirecost::middleware
