// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/qos.hpp"

#include <fastrtps/rtps/common/Time_t.h>

namespace wirecost::middleware {

namespace dds = eprosima::fastdds::dds;
using eprosima::fastrtps::Duration_t;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
/// What a message takes at most in waiting for a reader that keeps everything.
constexpr std::int32_t unread_messages = 64;
/// What "keep all" keeps for readers that do not exist yet.
constexpr std::int32_t kept_for_late_readers = 1000;

std::int64_t nanoseconds(const Duration_t& duration) {
  if (duration.is_infinite() || duration.seconds < 0) return 0;
  return duration.to_ns();
}

Duration_t duration(std::int64_t nanoseconds) {
  if (nanoseconds <= 0 || nanoseconds / second_ns >= INT32_MAX)
    return eprosima::fastrtps::c_TimeInfinite;
  return {static_cast<std::int32_t>(nanoseconds / second_ns),
          static_cast<std::uint32_t>(nanoseconds % second_ns)};
}

Duration_t milliseconds(std::uint32_t count) { return {0, count * 1'000'000U}; }

template <class Found>
DdsQos common(const Found& endpoint) {
  DdsQos qos;
  qos.reliable = endpoint.m_reliability.kind == dds::RELIABLE_RELIABILITY_QOS;
  qos.transient_local = endpoint.m_durability.kind >= dds::TRANSIENT_LOCAL_DURABILITY_QOS;
  qos.deadline_ns = nanoseconds(endpoint.m_deadline.period);
  qos.lease_ns = nanoseconds(endpoint.m_liveliness.lease_duration);
  qos.manual_liveliness = endpoint.m_liveliness.kind == dds::MANUAL_BY_TOPIC_LIVELINESS_QOS;
  return qos;
}

template <class Wanted>
void set_common(Wanted& wanted, const DdsQos& qos) {
  wanted.reliability().kind =
      qos.reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  wanted.durability().kind =
      qos.transient_local ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
  wanted.deadline().period = duration(qos.deadline_ns);
  wanted.liveliness().lease_duration = duration(qos.lease_ns);
  wanted.liveliness().kind =
      qos.manual_liveliness ? dds::MANUAL_BY_TOPIC_LIVELINESS_QOS : dds::AUTOMATIC_LIVELINESS_QOS;
  wanted.endpoint().history_memory_policy =
      eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  // Payloads grow to the largest message and stay: few of them, made as they are needed.
  wanted.resource_limits().allocated_samples = 1;
  wanted.resource_limits().max_instances = 1;
  wanted.data_sharing().off();
}

}  // namespace

DdsQos found(const dds::WriterQos& offered) {
  DdsQos qos = common(offered);
  qos.lifespan_ns = nanoseconds(offered.m_lifespan.duration);
  return qos;
}

DdsQos found(const dds::ReaderQos& requested) { return common(requested); }

dds::DataReaderQos reader_qos(const DdsQos& qos) {
  dds::DataReaderQos wanted = dds::DATAREADER_QOS_DEFAULT;
  set_common(wanted, qos);
  // The listener takes every message at once, so that depth would only lose some of a burst.
  wanted.history().kind = dds::KEEP_ALL_HISTORY_QOS;
  wanted.resource_limits().max_samples = kept_for_late_readers;
  wanted.resource_limits().max_samples_per_instance = kept_for_late_readers;
  wanted.reliable_reader_qos().times.initialAcknackDelay = milliseconds(10);
  wanted.reliable_reader_qos().times.heartbeatResponseDelay = milliseconds(1);
  return wanted;
}

dds::DataWriterQos writer_qos(const DdsQos& qos) {
  dds::DataWriterQos wanted = dds::DATAWRITER_QOS_DEFAULT;
  set_common(wanted, qos);
  wanted.lifespan().duration = duration(qos.lifespan_ns);
  wanted.liveliness().announcement_period = duration(qos.lease_ns / 3);
  // Lets the writer send a heartbeat when it wants to; readers may ask for less.
  if (qos.lease_ns == 0) wanted.liveliness().kind = dds::MANUAL_BY_TOPIC_LIVELINESS_QOS;
  // From the calling thread: another one that is woken holds locks while it waits for a CPU, which
  // made a small message milliseconds late.
  wanted.publish_mode().kind = dds::SYNCHRONOUS_PUBLISH_MODE;
  const bool keeps_all = qos.depth == 0 && !qos.transient_local;
  const std::int32_t limit = keeps_all        ? unread_messages
                             : qos.depth == 0 ? kept_for_late_readers
                                              : qos.depth;
  wanted.history().kind = keeps_all ? dds::KEEP_ALL_HISTORY_QOS : dds::KEEP_LAST_HISTORY_QOS;
  wanted.history().depth = limit;
  wanted.resource_limits().max_samples = limit;
  wanted.resource_limits().max_samples_per_instance = limit;
  wanted.reliable_writer_qos().times.heartbeatPeriod = milliseconds(50);
  wanted.reliable_writer_qos().times.nackResponseDelay = milliseconds(1);
  return wanted;
}

}  // namespace wirecost::middleware
