// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include <fastdds/dds/subscriber/DataReaderListener.hpp>

#include "wirecost/middleware/dds_participant.hpp"
#include "wirecost/middleware/queue.hpp"

namespace wirecost::middleware {

/// A written message's name in the domain. The sequence number is 0 where there is none.
struct SampleName {
  Guid writer{};
  std::int64_t sequence = 0;
};

/// Hands every message over on the receiving thread.
class DdsReader final : private eprosima::fastdds::dds::DataReaderListener {
 public:
  /// The message (channel 0), its name, and the name of what it answers.
  using Handler =
      std::function<void(Message message, const SampleName& own, const SampleName& answered)>;

  /// `only_same_class`: messages of writers that offer another reliability or durability are left
  /// out, so that one reader for each class that is offered hears everything once.
  DdsReader(std::shared_ptr<DdsParticipant> participant, const DdsEndpoint& endpoint,
            bool only_same_class, Handler handler);
  DdsReader(const DdsReader&) = delete;
  DdsReader& operator=(const DdsReader&) = delete;
  ~DdsReader() override;

  const Guid& guid() const { return guid_; }
  std::size_t writers();
  /// Leaves the domain; nothing is handed over any more.
  void close();

 private:
  void on_data_available(eprosima::fastdds::dds::DataReader* reader) override;

  const DdsQos qos_;
  const bool only_same_class_;
  const Handler handler_;
  std::mutex mutex_;
  // Both null once closed.
  std::shared_ptr<DdsParticipant> participant_;
  const Discovery& discovery_;
  eprosima::fastdds::dds::DataReader* reader_;
  const Guid guid_;
};

}  // namespace wirecost::middleware
