// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include <fastdds/dds/publisher/DataWriterListener.hpp>

#include "wirecost/middleware/dds/participant.hpp"
#include "wirecost/middleware/dds/peers.hpp"
#include "wirecost/middleware/dds/reader.hpp"
#include "wirecost/middleware/dds/type.hpp"
#include "wirecost/middleware/sink.hpp"

namespace wirecost::middleware {

/// Sends serialized messages from the calling thread; the bytes are copied, to be sent again on
/// request.
class DdsWriter final : public Sink, private eprosima::fastdds::dds::DataWriterListener {
 public:
  DdsWriter(std::shared_ptr<DdsParticipant> participant, const DdsEndpoint& endpoint);
  ~DdsWriter() override;

  /// What readers held up for longer than the library waits is dropped and counted.
  /// Throws std::invalid_argument where the four bytes of encapsulation are missing.
  void send(std::span<const std::byte> message) override;
  /// As `send`, of a message that lies in pieces.
  void send_pieces(Pieces message);
  /// As `send`, saying which message this one answers; how it is named itself (sequence number 0:
  /// it was dropped).
  SampleName answer(std::span<const std::byte> message, const SampleName& answered);
  /// Of other participants.
  std::size_t readers() override { return peers_.count(); }
  /// Readers that are not known to have found this writer: their participant has not acknowledged
  /// all writers of ours, or they are reliable and have acknowledged nothing yet. A volatile one
  /// would miss what is sent now.
  std::size_t unconfirmed();
  std::size_t dropped() const { return dropped_; }
  const Guid& guid() const { return guid_; }
  /// Waits until all reliable readers have everything; false when the time is over.
  bool flush(std::chrono::nanoseconds timeout);
  /// Leaves the domain; what is sent from now on is dropped.
  void close();

 private:
  SampleName write(Pieces message, const SampleName& answered);

  void on_publication_matched(
      eprosima::fastdds::dds::DataWriter* writer,
      const eprosima::fastdds::dds::PublicationMatchedStatus& change) override;

  const bool reliable_;
  /// Whether it may send heartbeats of its own.
  const bool beats_;
  std::mutex mutex_;
  // Both null once closed.
  std::shared_ptr<DdsParticipant> participant_;
  Peers peers_;
  eprosima::fastdds::dds::DataWriter* writer_;
  const Guid guid_;
  std::atomic<std::size_t> dropped_ = 0;
};

}  // namespace wirecost::middleware
