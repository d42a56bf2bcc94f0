// SPDX-License-Identifier: Apache-2.0
#include "components.hpp"

#include <functional>
#include <rclcpp_components/register_node_macro.hpp>

#include "counts.hpp"

using std_msgs::msg::String;

Relay::Relay(const rclcpp::NodeOptions& options) : Node("relay", options) {
  inner_ = create_publisher<String>("inner", 100);
  words_ = create_subscription<String>("words", rclcpp::QoS(100), [this](const String& word) {
    Counts::of_process().add("/relay " + std::string(words_->get_topic_name()));
    inner_->publish(std::make_unique<String>(word));
  });
}

Sink::Sink(const rclcpp::NodeOptions& options) : Node("sink", options) {
  inner_ = create_subscription<String>("inner", rclcpp::QoS(100), [this](String::UniquePtr) {
    Counts::of_process().add("/sink " + std::string(inner_->get_topic_name()));
  });
}

RCLCPP_COMPONENTS_REGISTER_NODE(Relay)
RCLCPP_COMPONENTS_REGISTER_NODE(Sink)
