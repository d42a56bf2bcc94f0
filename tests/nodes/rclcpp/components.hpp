// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>

/// Publishes on "inner" what comes on "words".
class Relay : public rclcpp::Node {
 public:
  explicit Relay(const rclcpp::NodeOptions& options);

 private:
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr inner_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr words_;
};

/// Takes what Relay publishes, within the process where both allow it.
class Sink : public rclcpp::Node {
 public:
  explicit Sink(const rclcpp::NodeOptions& options);

 private:
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr inner_;
};
