// SPDX-License-Identifier: Apache-2.0
// A lifecycle node that configures and activates itself, and answers while it is active.
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <std_msgs/msg/string.hpp>

#include "counts.hpp"

using rclcpp_lifecycle::LifecycleNode;
using std_msgs::msg::String;

class Managed : public LifecycleNode {
 public:
  Managed() : LifecycleNode("managed") {}

  CallbackReturn on_configure(const rclcpp_lifecycle::State&) override {
    answers_ = create_publisher<String>("answers", 10);
    words_ = create_subscription<String>("words", rclcpp::QoS(100), [this](const String& word) {
      Counts::of_process().add("/managed " + std::string(words_->get_topic_name()));
      answers_->publish(word);
    });
    return CallbackReturn::SUCCESS;
  }

 private:
  rclcpp_lifecycle::LifecyclePublisher<String>::SharedPtr answers_;
  rclcpp::Subscription<String>::SharedPtr words_;
};

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  const auto node = std::make_shared<Managed>();
  node->configure();
  node->activate();
  rclcpp::spin(node->get_node_base_interface());
  Counts::of_process().print();
}
