// SPDX-License-Identifier: Apache-2.0
// A talker or a listener of roscpp: what losing_ros1.py says of its own holds here.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <ros/ros.h>
#include <std_msgs/Header.h>

int main(int argc, char** argv) {
  const std::string role = argv[1], name = argv[2];
  const int count = std::atoi(argv[3]), queue = std::atoi(argv[4]);
  const int callback_ms = std::atoi(argv[5]), padding = std::atoi(argv[6]);
  ros::init(argc, argv, name + "_" + role + "er", ros::init_options::NoSigintHandler);
  ros::NodeHandle node;
  if (role == "talk") {
    ros::Publisher publisher = node.advertise<std_msgs::Header>("/" + name, queue);
    ros::AsyncSpinner spinner(1);
    spinner.start();
    while (publisher.getNumSubscribers() == 0) ros::WallDuration(0.05).sleep();
    std::puts("ready");
    std::fflush(stdout);
    while (std::getchar() != '\n') {
    }
    for (int number = 0; number < count; ++number) {
      const bool is_padded = padding > 0 || number % 3 == 0;
      char text[16];
      std::snprintf(text, sizeof text, "%6d ", number);
      std_msgs::Header message;
      message.frame_id = text + std::string(is_padded ? std::abs(padding) : 0, 'x');
      publisher.publish(message);
      ros::WallDuration(0.02).sleep();
    }
    std::puts("done");
    std::fflush(stdout);
    std::getchar();
    return 0;
  }
  const auto take = [&](const std_msgs::Header::ConstPtr& message) {
    std::printf("%d\n", std::atoi(message->frame_id.c_str()));
    std::fflush(stdout);
    ros::WallDuration(callback_ms / 1000.0).sleep();
  };
  const ros::Subscriber subscriber =
      node.subscribe<std_msgs::Header>("/" + name, static_cast<uint32_t>(queue), take);
  ros::spin();
}
