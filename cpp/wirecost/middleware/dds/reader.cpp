// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/reader.hpp"

#include <algorithm>
#include <utility>

#include <fastdds/dds/subscriber/SampleInfo.hpp>

namespace wirecost::middleware {

namespace dds = eprosima::fastdds::dds;

namespace {

/// How long a new reader looks at times of publishing: another machine's clock may be behind ours,
/// which must not cost more than a recording's begin.
constexpr std::int64_t looked_at_ns = 2'000'000'000;

SampleName name_of(const eprosima::fastrtps::rtps::SampleIdentity& identity) {
  const auto number = identity.sequence_number();
  const bool known = number != eprosima::fastrtps::rtps::SequenceNumber_t::unknown();
  return {guid_bytes(identity.writer_guid()),
          known ? static_cast<std::int64_t>(number.to64long()) : 0};
}

}  // namespace

DdsReader::DdsReader(std::shared_ptr<DdsParticipant> participant, const DdsEndpoint& endpoint,
                     WriterChoice choice, Handler handler, Volatile from_volatile)
    : qos_(endpoint.qos),
      handler_(std::move(handler)),
      live_only_(from_volatile == Volatile::live && !qos_.transient_local),
      choice_(std::move(choice)),
      participant_(std::move(participant)),
      peers_(participant_->guid()),
      discovery_(participant_->discovery()),
      reader_(participant_->make_reader(endpoint, this)),
      guid_(guid_bytes(reader_->guid())) {}

DdsReader::~DdsReader() { close(); }

void DdsReader::close() {
  const std::lock_guard lock(mutex_);
  if (reader_ == nullptr) return;
  participant_->remove(reader_);
  reader_ = nullptr;
  participant_.reset();
  peers_.clear();
}

std::size_t DdsReader::unconfirmed() const {
  const std::lock_guard lock(mutex_);
  if (reader_ == nullptr) return 0;
  const Acknowledgements& acknowledged = participant_->acknowledgements();
  return peers_.count_if(
      [&](const Guid& writer) { return !acknowledged.has_announcements(writer, false); });
}

void DdsReader::choose(WriterChoice choice) {
  const std::lock_guard lock(choice_mutex_);
  choice_ = std::move(choice);
}

bool DdsReader::chosen(const Guid& writer) {
  const std::lock_guard lock(choice_mutex_);
  if (choice_.same_class) {
    const auto offered = discovery_.qos_of(writer);
    if (!offered || !offered->same_class(qos_)) return false;
  }
  if (choice_.only) return choice_.only->contains(writer);
  return !choice_.without.contains(writer);
}

bool DdsReader::from_before(const Message& message) const {
  return message.source_ns > 0 && message.source_ns < made_.realtime &&
         message.received.monotonic < made_.monotonic + looked_at_ns;
}

std::uint64_t DdsReader::count_missed(const SampleName& received) {
  const std::lock_guard lock(choice_mutex_);
  std::int64_t& last = last_[received.writer];
  const std::int64_t missed =
      last > 0 ? std::max<std::int64_t>(received.sequence - last - 1, 0) : 0;
  last = std::max(last, received.sequence);
  missed_ += static_cast<std::uint64_t>(missed);
  return static_cast<std::uint64_t>(missed);
}

void DdsReader::on_subscription_matched(dds::DataReader*,
                                        const dds::SubscriptionMatchedStatus& change) {
  peers_.changed(change.last_publication_handle, change.current_count_change);
}

void DdsReader::on_data_available(dds::DataReader* reader) {
  while (true) {
    Message message;
    dds::SampleInfo info;
    if (reader->take_next_sample(&message, &info) != ReturnCode_t::RETCODE_OK) return;
    const SampleName own = name_of(info.sample_identity);
    // What tells that an instance ended has a number as well.
    message.missed = count_missed(own);
    if (!info.valid_data) continue;
    message.received = Stamp::now();
    const auto source_ns = info.source_timestamp.to_ns();
    message.source_ns = std::max(std::int64_t{0}, static_cast<std::int64_t>(source_ns));
    if (!chosen(own.writer) || (live_only_ && from_before(message))) continue;
    handler_(std::move(message), own, name_of(info.related_sample_identity));
  }
}

}  // namespace wirecost::middleware
