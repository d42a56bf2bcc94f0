// SPDX-License-Identifier: Apache-2.0
// feeder MESSAGES READERS: waits for as many readers of "words", publishes there and on "commands"
// at 50 Hz, and calls the service "switch" with each tenth message if it is there.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>
#include <string>

using std_msgs::msg::String;
using std_srvs::srv::SetBool;

int main(int argc, char** argv) {
  const auto words = rclcpp::init_and_remove_ros_arguments(argc, argv);
  if (words.size() < 3) return 2;
  const int messages = std::atoi(words[1].c_str());
  const auto readers = static_cast<std::size_t>(std::atoi(words[2].c_str()));
  const auto node = std::make_shared<rclcpp::Node>("feeder");
  const auto publisher = node->create_publisher<String>("words", rclcpp::QoS(100));
  const auto commands = node->create_publisher<String>("commands", rclcpp::QoS(100));
  const auto client = node->create_client<SetBool>("switch");
  while (rclcpp::ok() && publisher->get_subscription_count() < readers)
    rclcpp::sleep_for(std::chrono::milliseconds(10));
  rclcpp::sleep_for(std::chrono::seconds(1));  // until they know of this publisher, too
  rclcpp::Rate rate(50);
  for (int number = 0; number < messages && rclcpp::ok(); ++number) {
    String word;
    word.data = "word " + std::to_string(number);
    publisher->publish(word);
    commands->publish(word);
    if (number % 10 == 0 && client->service_is_ready()) {
      const auto request = std::make_shared<SetBool::Request>();
      request->data = true;
      const auto answer = client->async_send_request(request);
      rclcpp::spin_until_future_complete(node, answer, std::chrono::seconds(2));
    }
    rate.sleep();
  }
  rclcpp::sleep_for(std::chrono::seconds(1));  // until the last is acknowledged
}
