// SPDX-License-Identifier: Apache-2.0
// action: an action's server that counts goals and its timer's steps; `action client GOALS` asks
// it.
#include <chrono>
#include <cstdlib>
#include <example_interfaces/action/fibonacci.hpp>
#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <string>

#include "counts.hpp"

using example_interfaces::action::Fibonacci;
using Goal = rclcpp_action::ServerGoalHandle<Fibonacci>;

class Server : public rclcpp::Node {
 public:
  Server() : Node("action_server") {
    server_ = rclcpp_action::create_server<Fibonacci>(
        this, "fibonacci",
        [](const rclcpp_action::GoalUUID&, const Fibonacci::Goal::ConstSharedPtr&) {
          Counts::of_process().add("/action_server goal");
          return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
        },
        [](const std::shared_ptr<Goal>&) { return rclcpp_action::CancelResponse::ACCEPT; },
        [this](const std::shared_ptr<Goal>& goal) { goal_ = goal; });
    timer_ = create_wall_timer(std::chrono::milliseconds(10), [this] { step(); });
  }

 private:
  /// One number of the sequence for the goal in work.
  void step() {
    Counts::of_process().add("/action_server timer 10 ms");
    if (!goal_) return;
    const auto feedback = std::make_shared<Fibonacci::Feedback>();
    for (auto& numbers = feedback->sequence; numbers.size() <= done_;)
      numbers.push_back(numbers.size() < 2 ? static_cast<int>(numbers.size())
                                           : numbers.end()[-1] + numbers.end()[-2]);
    goal_->publish_feedback(feedback);
    if (static_cast<int>(++done_) < goal_->get_goal()->order) return;
    const auto result = std::make_shared<Fibonacci::Result>();
    result->sequence = feedback->sequence;
    goal_->succeed(result);
    goal_.reset();
    done_ = 0;
  }

  rclcpp_action::Server<Fibonacci>::SharedPtr server_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::shared_ptr<Goal> goal_;
  std::size_t done_ = 0;
};

/// Sends goals one after the other; false when one was not reached.
bool ask(int goals) {
  const auto node = std::make_shared<rclcpp::Node>("action_client");
  const auto client = rclcpp_action::create_client<Fibonacci>(node, "fibonacci");
  if (!client->wait_for_action_server(std::chrono::seconds(10))) return false;
  auto options = rclcpp_action::Client<Fibonacci>::SendGoalOptions();
  options.feedback_callback = [](const auto&, const auto&) {
    Counts::of_process().add("/action_client feedback");
  };
  for (int number = 0; number < goals; ++number) {
    Fibonacci::Goal goal;
    goal.order = 5;
    auto accepted = client->async_send_goal(goal, options);
    if (rclcpp::spin_until_future_complete(node, accepted) != rclcpp::FutureReturnCode::SUCCESS)
      return false;
    auto result = client->async_get_result(accepted.get());
    if (rclcpp::spin_until_future_complete(node, result) != rclcpp::FutureReturnCode::SUCCESS)
      return false;
    Counts::of_process().add("/action_client result");
  }
  return true;
}

int main(int argc, char** argv) {
  const auto words = rclcpp::init_and_remove_ros_arguments(argc, argv);
  bool done = true;
  if (words.size() > 2 && words[1] == "client")
    done = ask(std::atoi(words[2].c_str()));
  else
    rclcpp::spin(std::make_shared<Server>());
  Counts::of_process().print();
  return done ? 0 : 1;
}
