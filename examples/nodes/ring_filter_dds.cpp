// SPDX-License-Identifier: Apache-2.0
// The ring outlier filter as a node on Cyclone DDS that speaks as ROS 2 does: /points in, /filtered
// out, both as bytes.
//   ring_filter_dds [recommended|wirecost]
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cloud_cdr.hpp"
#include "dds/ddsi/ddsi_serdata.h"
#include "wirecost/probe.hpp"

extern "C" {
#include "messages.h"
#include "ros_node.h"
}

namespace {

const std::uint32_t callback_section = wirecost_probe_section("callback");
const std::uint32_t filter_section = wirecost_probe_section("filter");
const std::uint32_t publish_section = wirecost_probe_section("publish");
constexpr char type_hash[] =
    "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5";

volatile std::sig_atomic_t ended = 0;

void end(int /*signal*/) { ended = 1; }

class RingFilterNode {
 public:
  explicit RingFilterNode(std::string_view version) : filter_(nodes::make_filter(version)) {
    const ros_qos qos{.reliable = true, .transient_local = false, .depth = 10};
    const auto* const type = &sensor_msgs_msg_dds__PointCloud2__desc;
    ros_node_create(&node_, "ring_filter");
    input_ = ros_reader(&node_, "rt/points", type, type_hash, qos);
    output_ = ros_writer(&node_, "rt/filtered", type, type_hash, qos);
    ros_node_announce(&node_);
  }
  RingFilterNode(const RingFilterNode&) = delete;
  RingFilterNode& operator=(const RingFilterNode&) = delete;
  ~RingFilterNode() { dds_delete(node_.participant); }

  /// Until SIGINT or SIGTERM.
  void run() {
    const dds_entity_t messages = dds_create_waitset(node_.participant);
    dds_waitset_attach(messages, dds_create_readcondition(input_, DDS_ANY_STATE), 0);
    while (ended == 0) {
      // A signal does not wake it.
      dds_waitset_wait(messages, nullptr, 0, DDS_MSECS(200));
      ddsi_serdata* message = nullptr;
      dds_sample_info_t info;
      while (dds_takecdr(input_, &message, 1, &info, DDS_ANY_STATE) == 1) {
        if (info.valid_data) on_cloud(*message);
        ddsi_serdata_unref(message);
      }
    }
  }

 private:
  void on_cloud(ddsi_serdata& message) {
    wirecost::probe::Section section(callback_section);
    ddsrt_iovec_t bytes;
    ddsi_serdata* const held =
        ddsi_serdata_to_ser_ref(&message, 0, ddsi_serdata_size(&message), &bytes);
    try {
      {
        const wirecost::probe::Section part(filter_section);
        nodes::read({static_cast<const std::uint8_t*>(bytes.iov_base), bytes.iov_len}, cloud_);
        section.value(static_cast<std::int64_t>(cloud_.cloud.width) * cloud_.cloud.height);
        nodes::write(cloud_.header, (*filter_)(cloud_.cloud), filtered_);
      }
      publish(*message.type);
    } catch (const std::invalid_argument& refused) {
      warn(refused.what());
    }
    ddsi_serdata_to_ser_unref(held, &bytes);
  }

  void publish(const ddsi_sertype& type) {
    const wirecost::probe::Section part(publish_section);
    const ddsrt_iovec_t bytes{.iov_base = filtered_.data(), .iov_len = filtered_.size()};
    ddsi_serdata* const sent =
        ddsi_serdata_from_ser_iov(&type, SDK_DATA, 1, &bytes, filtered_.size());
    if (sent == nullptr) throw std::invalid_argument("cloud: Cyclone DDS refused the output");
    // Takes the reference over. What fails is a reader that stands still: it misses this one.
    dds_writecdr(output_, sent);
  }

  /// Once a second at most: bad messages come as often as good ones.
  void warn(const char* what) {
    const std::time_t now = std::time(nullptr);
    if (now != warned_) std::fprintf(stderr, "ring_filter_dds: %s\n", what);
    warned_ = now;
  }

  std::unique_ptr<nodes::BytesFilter> filter_;
  ros_node node_{};
  dds_entity_t input_ = 0;
  dds_entity_t output_ = 0;
  nodes::CloudMessage cloud_;
  std::vector<std::uint8_t> filtered_;
  std::time_t warned_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, end);
  std::signal(SIGTERM, end);
  wirecost_probe_prepare_thread();
  try {
    RingFilterNode(argc > 1 ? argv[1] : "wirecost").run();
  } catch (const std::invalid_argument& refused) {
    std::fprintf(stderr, "ring_filter_dds: %s\n", refused.what());
    return 2;
  }
  return 0;
}
