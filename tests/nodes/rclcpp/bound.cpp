// SPDX-License-Identifier: Apache-2.0
// A node as in the tutorials: std::bind callbacks of a class, a parameter, a service, a timer. It
// answers each message, so that its outputs follow from its inputs alone.
#include <chrono>
#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/set_bool.hpp>

#include "counts.hpp"

using std_msgs::msg::String;
using std_srvs::srv::SetBool;

class Bound : public rclcpp::Node {
 public:
  Bound() : Node("bound"), greeting_(declare_parameter("greeting", "hello ")) {
    using std::placeholders::_1;
    using std::placeholders::_2;
    answers_ = create_publisher<String>("answers", 10);
    subscription_ = create_subscription<String>("words", rclcpp::QoS(100),
                                                std::bind(&Bound::on_word, this, _1));
    commands_ = create_subscription<String>("commands", rclcpp::QoS(100),
                                            std::bind(&Bound::on_command, this, _1));
    service_ = create_service<SetBool>("switch", std::bind(&Bound::on_switch, this, _1, _2));
    timer_ = create_wall_timer(std::chrono::milliseconds(50), std::bind(&Bound::on_timer, this));
  }

 private:
  void count(const std::string& callback) {
    Counts::of_process().add(get_fully_qualified_name() + (" " + callback));
  }

  void on_word(const String& word) {
    count(subscription_->get_topic_name());
    String answer;
    answer.data = greeting_ + word.data;
    answers_->publish(answer);
  }

  void on_command(const String&) { count(commands_->get_topic_name()); }

  void on_switch(const SetBool::Request::SharedPtr& request,
                 const SetBool::Response::SharedPtr& response) {
    count("service " + std::string(service_->get_service_name()));
    response->success = request->data;
  }

  void on_timer() { count("timer 50 ms"); }

  std::string greeting_;
  rclcpp::Publisher<String>::SharedPtr answers_;
  rclcpp::Subscription<String>::SharedPtr subscription_, commands_;
  rclcpp::Service<SetBool>::SharedPtr service_;
  rclcpp::TimerBase::SharedPtr timer_;
};

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<Bound>());
  Counts::of_process().print();
}
