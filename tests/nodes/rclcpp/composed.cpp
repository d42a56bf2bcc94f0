// SPDX-License-Identifier: Apache-2.0
// Two components in one process and executor; messages between them do not leave it.
#include "components.hpp"
#include "counts.hpp"

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  rclcpp::executors::SingleThreadedExecutor executor;
  const auto options = rclcpp::NodeOptions().use_intra_process_comms(true);
  const auto relay = std::make_shared<Relay>(options);
  const auto sink = std::make_shared<Sink>(options);
  executor.add_node(relay);
  executor.add_node(sink);
  executor.spin();
  Counts::of_process().print();
}
