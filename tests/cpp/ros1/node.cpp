// SPDX-License-Identifier: Apache-2.0
// Shouts what it hears on /in as /out, with the answer of /switch behind it: once asked by a
// connection of its own, once by a persistent one. Provides /mode, and reads the parameter /mark.
#include <ros/ros.h>
#include <std_msgs/String.h>
#include <std_srvs/SetBool.h>

#include <string>

namespace {

std::string asked(ros::ServiceClient& client, bool on) {
  std_srvs::SetBool call;
  call.request.data = on;
  return client.call(call) ? call.response.message : "no answer";
}

bool set_mode(std_srvs::SetBool::Request& request, std_srvs::SetBool::Response& response) {
  response.success = request.data;
  response.message = request.data ? "mode on" : "mode off";
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "shouter");
  ros::NodeHandle node;
  const ros::Publisher out = node.advertise<std_msgs::String>("/out", 1000);
  const ros::Publisher state = node.advertise<std_msgs::String>("/state", 1, true);
  ros::ServiceClient once = node.serviceClient<std_srvs::SetBool>("/switch");
  ros::ServiceClient kept = node.serviceClient<std_srvs::SetBool>("/switch", true);
  const ros::ServiceServer mode = node.advertiseService("/mode", set_mode);
  const ros::Subscriber in =
      node.subscribe<std_msgs::String>("/in", 1000, [&](const std_msgs::String::ConstPtr& heard) {
        std::string mark;
        ros::param::getCached("/mark", mark);
        std_msgs::String said;
        said.data = heard->data + mark + " " + asked(once, true) + " " + asked(kept, false);
        out.publish(said);
      });
  std_msgs::String ready;
  ready.data = "ready";
  state.publish(ready);
  ros::spin();
}
