// SPDX-License-Identifier: Apache-2.0
// What cpp/wirecost/hooks/ros1 takes for granted of roscpp and Boost, compared with their headers.
#include <ros/advertise_service_options.h>
#include <ros/message_deserializer.h>
#include <ros/service_callback_helper.h>
#include <ros/steady_timer_options.h>
#include <ros/subscribe_options.h>
#include <ros/subscription_callback_helper.h>
#include <ros/timer_options.h>
#include <ros/wall_timer_options.h>
#include <std_msgs/Header.h>

#include <cstddef>
#include <type_traits>

#include "wirecost/hooks/ros1/abi.hpp"
#include "wirecost/hooks/ros1/boost_function.hpp"

// Of classes that are not of standard layout the compiler says it only conditionally supports it.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace offset = wirecost::ros1::offset;

static_assert(offsetof(ros::SubscribeOptions, topic) == offset::subscribe_topic);
static_assert(offsetof(ros::SubscribeOptions, datatype) == offset::subscribe_type);
static_assert(offsetof(ros::SubscribeOptions, helper) == offset::subscribe_helper);
static_assert(offsetof(ros::AdvertiseServiceOptions, service) == offset::service_name);
static_assert(offsetof(ros::AdvertiseServiceOptions, datatype) == offset::service_type);
static_assert(offsetof(ros::AdvertiseServiceOptions, helper) == offset::service_helper);
static_assert(offsetof(ros::TimerOptions, period) == offset::timer_period);
static_assert(offsetof(ros::TimerOptions, callback) == offset::timer_callback);
static_assert(offsetof(ros::WallTimerOptions, period) == offset::timer_period);
static_assert(offsetof(ros::WallTimerOptions, callback) == offset::timer_callback);
static_assert(offsetof(ros::SteadyTimerOptions, period) == offset::timer_period);
static_assert(offsetof(ros::SteadyTimerOptions, callback) == offset::timer_callback);
static_assert(offsetof(ros::SerializedMessage, buf) == offset::message_buffer);
static_assert(offsetof(ros::SerializedMessage, num_bytes) == offset::message_bytes);
static_assert(offsetof(ros::SerializedMessage, message_start) == offset::message_start);

// Private members: this file is compiled with -fno-access-control.
using Message = const std_msgs::Header::ConstPtr&;
using Subscription = ros::SubscriptionCallbackHelperT<Message>;
using Event = ros::SubscriptionCallbackHelperT<const ros::MessageEvent<std_msgs::Header const>&>;
using Service = ros::ServiceCallbackHelperT<ros::ServiceSpec<std_msgs::Header, std_msgs::Header>>;
static_assert(offsetof(Subscription, callback_) == offset::helper_callback);
static_assert(offsetof(Event, callback_) == offset::helper_callback);
static_assert(offsetof(Service, callback_) == offset::helper_callback);
static_assert(offsetof(ros::MessageDeserializer, helper_) == offset::deserializer_helper);
static_assert(offsetof(ros::MessageDeserializer, serialized_message_) ==
              offset::deserializer_message);

// What is passed by value must be passed in one register.
static_assert(sizeof(ros::Time) == 8 && std::is_trivially_copyable_v<ros::Time>);
static_assert(sizeof(ros::WallDuration) == 8 && std::is_trivially_copyable_v<ros::WallDuration>);
static_assert(sizeof(ros::VoidConstPtr) == sizeof(wirecost::ros1::SharedPointer));

using Called = boost::function<void(Message)>;
namespace layout = boost::detail::function;
static_assert(sizeof(Called) == sizeof(wirecost::ros1::Function));
static_assert(offsetof(Called, functor) == offsetof(wirecost::ros1::Function, buffer));
using Table = layout::basic_vtable1<void, Message>;
static_assert(offsetof(Table, invoker) == offsetof(wirecost::ros1::FunctionTable, invoker));
static_assert(layout::clone_functor_tag == int(wirecost::ros1::FunctionOperation::clone));
static_assert(layout::move_functor_tag == int(wirecost::ros1::FunctionOperation::move));
static_assert(layout::destroy_functor_tag == int(wirecost::ros1::FunctionOperation::destroy));
static_assert(layout::check_functor_type_tag == int(wirecost::ros1::FunctionOperation::check_type));
static_assert(layout::get_functor_type_tag == int(wirecost::ros1::FunctionOperation::get_type));
