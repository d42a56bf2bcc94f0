// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/publisher/qos/WriterQos.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>
#include <fastdds/dds/subscriber/qos/ReaderQos.hpp>

namespace wirecost::middleware {

/// What ROS 2 knows of an endpoint's quality of service; times in nanoseconds, 0 is without end.
struct DdsQos {
  bool reliable = true;
  bool transient_local = false;
  /// Messages kept; 0 keeps all. Discovery does not carry it, so a found endpoint has 0.
  std::int32_t depth = 0;
  std::int64_t deadline_ns = 0;
  std::int64_t lifespan_ns = 0;
  std::int64_t lease_ns = 0;
  bool manual_liveliness = false;

  /// Which data there is for a late or lossy reader; what distinguishes readers and writers.
  bool same_class(const DdsQos& other) const {
    return reliable == other.reliable && transient_local == other.transient_local;
  }
};

DdsQos found(const eprosima::fastdds::dds::WriterQos& offered);
DdsQos found(const eprosima::fastdds::dds::ReaderQos& requested);

/// For large messages on loopback: lost fragments are asked for and sent again within milliseconds.
eprosima::fastdds::dds::DataReaderQos reader_qos(const DdsQos& qos);
eprosima::fastdds::dds::DataWriterQos writer_qos(const DdsQos& qos);

}  // namespace wirecost::middleware
