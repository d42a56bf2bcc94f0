// SPDX-License-Identifier: Apache-2.0
// Every kind of callback that roscpp has. It publishes to itself on /words, calls its own service
// /count, and ends by itself after 40 ticks. Callbacks with probes of their own measure the same
// time.
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_msgs/String.h>
#include <std_srvs/Trigger.h>

#include <stdexcept>

#include "wirecost/probe.hpp"

namespace {

using Text = std_msgs::String;
const std::uint32_t own_section = wirecost_probe_section("own");

void by_function(const Text::ConstPtr&) { const wirecost::probe::Section section(own_section); }

struct Base {
  virtual ~Base() = default;
  virtual void virtually(const Text& text) = 0;
};
struct Listener : Base {
  ros::Publisher out;
  ros::NodeHandle node;
  int ticks = 0;

  void virtually(const Text& text) override { out.publish(text); }
  void with_event(const ros::MessageEvent<Text const>& event) { event.getPublisherName(); }
  void changing(const Text::Ptr& text) { text->data += "!"; }
  void throwing(const Text::ConstPtr&) { throw std::runtime_error("refused"); }
  bool count(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& response) {
    response.message = std::to_string(ticks);
    response.success = true;
    return true;
  }
  void tick(const ros::TimerEvent&) {
    Text text;
    text.data = std::string(100, 'x');
    words.publish(text);
    if (++ticks == 40) ros::shutdown();
  }
  void wall_tick(const ros::WallTimerEvent&) {}
  void steady_tick(const ros::SteadyTimerEvent&) {}
  ros::Publisher words;
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "callbacks");
  ros::NodeHandle node;
  ros::CallbackQueue others;
  Listener listener;
  listener.words = node.advertise<Text>("/words", 100);
  listener.out = node.advertise<Text>("/echo", 100);
  const auto transport = ros::TransportHints().tcpNoDelay();
  const auto a = node.subscribe("/words", 100, by_function, transport);
  const auto b = node.subscribe<Text>(
      "/words", 100, [](const Text::ConstPtr&) {}, ros::VoidConstPtr(), transport);
  const auto c = node.subscribe("/words", 100, &Base::virtually, static_cast<Base*>(&listener));
  const auto d = node.subscribe("/words", 100, &Listener::with_event, &listener);
  const auto e = node.subscribe("/words", 100, &Listener::changing, &listener);
  const auto service = node.advertiseService("/count", &Listener::count, &listener);
  const auto timer = node.createTimer(ros::Duration(0.05), &Listener::tick, &listener);
  const auto wall = node.createWallTimer(ros::WallDuration(0.02), &Listener::wall_tick, &listener);
  const auto steady =
      node.createSteadyTimer(ros::WallDuration(0.02), &Listener::steady_tick, &listener);
  ros::NodeHandle other("other");
  other.setCallbackQueue(&others);
  const auto f = other.subscribe("/words", 100, &Listener::throwing, &listener);
  while (ros::ok()) {
    ros::spinOnce();
    try {
      others.callAvailable(ros::WallDuration(0.001));
    } catch (const std::runtime_error&) {
    }
  }
}
