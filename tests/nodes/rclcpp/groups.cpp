// SPDX-License-Identifier: Apache-2.0
// Two callback groups in an executor of two threads: while one callback sleeps, the other runs.
#include <chrono>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <thread>

#include "counts.hpp"

using std_msgs::msg::String;

class Groups : public rclcpp::Node {
 public:
  Groups() : Node("groups") {
    rclcpp::SubscriptionOptions slow;
    slow.callback_group = create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
    rclcpp::SubscriptionOptions shared;
    shared.callback_group = create_callback_group(rclcpp::CallbackGroupType::Reentrant);
    slow_ = create_subscription<String>(
        "commands", rclcpp::QoS(100),
        [this](const String&) {
          Counts::of_process().add("/groups " + std::string(slow_->get_topic_name()));
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        },
        slow);
    quick_ = create_subscription<String>(
        "words", rclcpp::QoS(100),
        [this](const String&) {
          Counts::of_process().add("/groups " + std::string(quick_->get_topic_name()));
        },
        shared);
    timer_ = create_wall_timer(
        std::chrono::milliseconds(20), [] { Counts::of_process().add("/groups timer 20 ms"); },
        shared.callback_group);
  }

 private:
  rclcpp::Subscription<String>::SharedPtr slow_, quick_;
  rclcpp::TimerBase::SharedPtr timer_;
};

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  const auto node = std::make_shared<Groups>();
  executor.add_node(node);
  executor.spin();
  Counts::of_process().print();
}
