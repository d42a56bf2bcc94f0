// SPDX-License-Identifier: Apache-2.0
// ROS 1 through roscpp: std_msgs/UInt8MultiArray over TCPROS; `address` is the master's URI.
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/UInt8MultiArray.h>

#include <algorithm>
#include <utility>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

/// What waits for want of a limit must not fill the memory.
constexpr std::size_t most_waiting_bytes = std::size_t{1} << 30U;
constexpr std::size_t most_waiting = 100'000;

/// roscpp never waits: above so many messages the oldest is lost, at either end.
std::uint32_t queue_of(const Settings& settings) {
  const auto room = std::min(most_waiting, most_waiting_bytes / settings.bytes + 1);
  return settings.queue > 0 ? static_cast<std::uint32_t>(settings.queue)
                            : static_cast<std::uint32_t>(room);
}

/// A process is one node.
ros::NodeHandle node(const Settings& settings) {
  ros::M_string names{{"__master", settings.address}};
  if (settings.address.find("127.0.0.1") != std::string::npos) names["__hostname"] = "127.0.0.1";
  ros::init(names, "wirecost",
            ros::init_options::AnonymousName | ros::init_options::NoSigintHandler |
                ros::init_options::NoRosout);
  if (!ros::master::check()) throw Failure("no ROS master at " + settings.address);
  return {};
}

class RosPublisher : public Publisher {
 public:
  explicit RosPublisher(const Settings& settings)
      : node_(node(settings)),
        port_(node_.advertise<std_msgs::UInt8MultiArray>(settings.topic, queue_of(settings))),
        spinner_(1) {
    spinner_.start();
  }

  bool publish(Bytes message) override {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(message.data());
    message_.data.assign(data, data + message.size());
    port_.publish(message_);
    return true;
  }

 private:
  ros::NodeHandle node_;
  ros::Publisher port_;
  ros::AsyncSpinner spinner_;
  std_msgs::UInt8MultiArray message_;
};

class RosSubscriber : public Subscriber {
 public:
  RosSubscriber(const Settings& settings, OnMessage on_message)
      : on_message_(std::move(on_message)), node_(node(settings)) {
    ros::SubscribeOptions options;
    options.initByFullCallbackType<const std_msgs::UInt8MultiArray::ConstPtr&>(
        settings.topic, queue_of(settings),
        [this](const std_msgs::UInt8MultiArray::ConstPtr& message) {
          on_message_(
              {reinterpret_cast<const std::byte*>(message->data.data()), message->data.size()});
        });
    options.transport_hints = ros::TransportHints().tcpNoDelay();
    port_ = node_.subscribe(options);
  }

  void poll(std::chrono::milliseconds time) override {
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(double(time.count()) / 1000));
  }

 private:
  OnMessage on_message_;
  ros::NodeHandle node_;
  ros::Subscriber port_;
};

}  // namespace

Library library() { return {"roscpp", WIRECOST_ROSCPP_VERSION, {"ros1"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<RosPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<RosSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
