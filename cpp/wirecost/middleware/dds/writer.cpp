// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/writer.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <fastdds/rtps/common/WriteParams.h>

namespace wirecost::middleware {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;

namespace {

constexpr std::size_t encapsulation_bytes = 4;
/// What surely goes in one datagram.
constexpr std::size_t unfragmented_bytes = 60'000;

}  // namespace

DdsWriter::DdsWriter(std::shared_ptr<DdsParticipant> participant, const DdsEndpoint& endpoint)
    : reliable_(endpoint.qos.reliable),
      beats_(reliable_ && endpoint.qos.lease_ns == 0),
      participant_(std::move(participant)),
      peers_(participant_->guid()),
      writer_(participant_->make_writer(endpoint, this)),
      guid_(guid_bytes(writer_->guid())) {}

DdsWriter::~DdsWriter() { close(); }

void DdsWriter::close() {
  const std::lock_guard lock(mutex_);
  if (writer_ == nullptr) return;
  participant_->remove(writer_);
  writer_ = nullptr;
  participant_.reset();
  peers_.clear();
}

void DdsWriter::send(std::span<const std::byte> message) { answer(message, {}); }

void DdsWriter::send_pieces(Pieces message) { write(message, {}); }

SampleName DdsWriter::answer(std::span<const std::byte> message, const SampleName& answered) {
  return write({&message, 1}, answered);
}

SampleName DdsWriter::write(Pieces message, const SampleName& answered) {
  const std::size_t bytes = bytes_of(message);
  if (message.empty() || message.front().size() < encapsulation_bytes || bytes > UINT32_MAX / 2)
    throw std::invalid_argument("a message of " + std::to_string(bytes) +
                                " bytes is no serialized one");
  rtps::WriteParams parameters;
  if (answered.writer != Guid{}) {
    parameters.related_sample_identity().writer_guid(to_guid(answered.writer));
    if (answered.sequence > 0)
      parameters.related_sample_identity().sequence_number(
          rtps::SequenceNumber_t(static_cast<std::uint64_t>(answered.sequence)));
  }
  const std::lock_guard lock(mutex_);
  // Cyclone takes the first heartbeat of a writer for the end of what was before its reader. Coming
  // with a message's first fragments, it would cost that message: so one goes ahead.
  if (writer_ != nullptr && beats_ && bytes > unfragmented_bytes) writer_->assert_liveliness();
  if (writer_ == nullptr || !writer_->write(&message, parameters)) {
    ++dropped_;
    return {};
  }
  const auto& own = parameters.sample_identity();
  return {guid_bytes(own.writer_guid()),
          static_cast<std::int64_t>(own.sequence_number().to64long())};
}

std::size_t DdsWriter::unconfirmed() {
  const std::lock_guard lock(mutex_);
  if (writer_ == nullptr) return 0;
  const Acknowledgements& acknowledged = participant_->acknowledgements();
  return peers_.count_if([&](const Guid& reader) {
    if (!acknowledged.has_announcements(reader, true)) return true;
    const auto wanted = participant_->discovery().qos_of(reader);
    return reliable_ && wanted && wanted->reliable && !acknowledged.has_answered(reader, guid_);
  });
}

void DdsWriter::on_publication_matched(dds::DataWriter*,
                                       const dds::PublicationMatchedStatus& change) {
  peers_.changed(change.last_subscription_handle, change.current_count_change);
}

bool DdsWriter::flush(std::chrono::nanoseconds timeout) {
  constexpr std::int64_t second_ns = 1'000'000'000;
  const eprosima::fastrtps::Duration_t limit(
      static_cast<std::int32_t>(timeout.count() / second_ns),
      static_cast<std::uint32_t>(timeout.count() % second_ns));
  const std::lock_guard lock(mutex_);
  return writer_ == nullptr || writer_->wait_for_acknowledgments(limit) == ReturnCode_t::RETCODE_OK;
}

}  // namespace wirecost::middleware
