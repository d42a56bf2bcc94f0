// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include <fastdds/dds/subscriber/DataReaderListener.hpp>

#include "wirecost/middleware/dds/participant.hpp"
#include "wirecost/middleware/dds/peers.hpp"
#include "wirecost/middleware/queue.hpp"

namespace wirecost::middleware {

/// A written message's name in the domain. The sequence number is 0 where there is none.
struct SampleName {
  Guid writer{};
  std::int64_t sequence = 0;
};

/// Whose messages a reader hands over.
struct WriterChoice {
  /// Leaves out writers that offer another reliability or durability than the reader asks for, so
  /// that one reader for each class that is offered receives everything once; and those of the own
  /// participant, which discovery does not carry.
  bool same_class = false;
  /// None: all but those in `without`.
  std::optional<std::set<Guid>> only = std::nullopt;
  std::set<Guid> without;
};

/// Which messages of a volatile writer are handed over.
enum class Volatile {
  all,
  /// Not what was published before the reader was made. Writers keep what somebody has not
  /// acknowledged yet, and a new reader is given that at once, although it was not there.
  live,
};

/// Hands every message over on the receiving thread.
class DdsReader final : private eprosima::fastdds::dds::DataReaderListener {
 public:
  /// The message (channel 0), its name, and the name of what it answers.
  using Handler =
      std::function<void(Message message, const SampleName& own, const SampleName& answered)>;

  DdsReader(std::shared_ptr<DdsParticipant> participant, const DdsEndpoint& endpoint,
            WriterChoice choice, Handler handler, Volatile from_volatile = Volatile::all);
  DdsReader(const DdsReader&) = delete;
  DdsReader& operator=(const DdsReader&) = delete;
  ~DdsReader() override;

  const Guid& guid() const { return guid_; }
  /// Of other participants.
  std::size_t writers() const { return peers_.count(); }
  /// Writers whose participants have not acknowledged all readers of ours: what they send may pass
  /// this one by.
  std::size_t unconfirmed() const;
  /// Messages that any writers sent between two that came, by their sequence numbers.
  std::uint64_t missed() const { return missed_; }
  /// Counts for messages that are handed over from now on.
  void choose(WriterChoice choice);
  /// Leaves the domain; nothing is handed over any more.
  void close();

 private:
  void on_data_available(eprosima::fastdds::dds::DataReader* reader) override;
  void on_subscription_matched(
      eprosima::fastdds::dds::DataReader* reader,
      const eprosima::fastdds::dds::SubscriptionMatchedStatus& change) override;
  bool chosen(const Guid& writer);
  bool from_before(const Message& message) const;
  /// Returns how many of its writer's messages are missing directly before it.
  std::uint64_t count_missed(const SampleName& received);

  const DdsQos qos_;
  const Handler handler_;
  const bool live_only_;
  const Stamp made_ = Stamp::now();
  std::mutex choice_mutex_;
  WriterChoice choice_;
  /// The last sequence number of each writer, guarded as the choice is.
  std::map<Guid, std::int64_t> last_;
  std::atomic<std::uint64_t> missed_ = 0;
  mutable std::mutex mutex_;
  // Both null once closed.
  std::shared_ptr<DdsParticipant> participant_;
  Peers peers_;
  const Discovery& discovery_;
  eprosima::fastdds::dds::DataReader* reader_;
  const Guid guid_;
};

}  // namespace wirecost::middleware
