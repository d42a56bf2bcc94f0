// SPDX-License-Identifier: Apache-2.0
// What of roscpp's binary interface is used: the names of exported functions, which hold the types
// of all arguments, and where members lie. Written from the headers of roscpp 1.15.15 and
// Boost 1.74; tests/cpp/hooks/ros1_layout.cpp compares the offsets with them. No header of theirs
// is needed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <typeinfo>

#define WIRECOST_ROS_SUBSCRIBE "_ZN3ros12TopicManager9subscribeERKNS_16SubscribeOptionsE"
#define WIRECOST_ROS_ADVERTISE_SERVICE \
  "_ZN3ros14ServiceManager16advertiseServiceERKNS_23AdvertiseServiceOptionsE"
#define WIRECOST_ROS_TIMER_1 "_ZN3ros5TimerC1ERKNS_12TimerOptionsE"
#define WIRECOST_ROS_TIMER_2 "_ZN3ros5TimerC2ERKNS_12TimerOptionsE"
#define WIRECOST_ROS_WALL_TIMER_1 "_ZN3ros9WallTimerC1ERKNS_16WallTimerOptionsE"
#define WIRECOST_ROS_WALL_TIMER_2 "_ZN3ros9WallTimerC2ERKNS_16WallTimerOptionsE"
#define WIRECOST_ROS_STEADY_TIMER_1 "_ZN3ros11SteadyTimerC1ERKNS_18SteadyTimerOptionsE"
#define WIRECOST_ROS_STEADY_TIMER_2 "_ZN3ros11SteadyTimerC2ERKNS_18SteadyTimerOptionsE"
#define WIRECOST_ROS_PUSH                                                                          \
  "_ZN3ros17SubscriptionQueue4pushERKN5boost10shared_ptrINS_26SubscriptionCallbackHelperEEERKNS2_" \
  "INS_19MessageDeserializerEEEbRKNS1_8weak_ptrIKvEEbNS_4TimeEPb"
#define WIRECOST_ROS_CALL_SUBSCRIPTION "_ZN3ros17SubscriptionQueue4callEv"
#define WIRECOST_ROS_DESERIALIZE "_ZN3ros19MessageDeserializer11deserializeEv"
#define WIRECOST_ROS_ADD_CALLBACK \
  "_ZN3ros13CallbackQueue11addCallbackERKN5boost10shared_ptrINS_17CallbackInterfaceEEEm"
#define WIRECOST_ROS_CALL_AVAILABLE "_ZN3ros13CallbackQueue13callAvailableENS_12WallDurationE"
#define WIRECOST_ROS_CALL_ONE "_ZN3ros13CallbackQueue7callOneENS_12WallDurationE"
#define WIRECOST_ROS_CALL_SERVICE "_ZN3ros15ServiceCallback4callEv"
#define WIRECOST_ROS_CALL_TIMER                                                \
  "_ZN3ros12TimerManagerINS_4TimeENS_8DurationENS_10TimerEventEE18TimerQueueC" \
  "allback4callEv"
#define WIRECOST_ROS_CALL_WALL_TIMER                                                   \
  "_ZN3ros12TimerManagerINS_8WallTimeENS_12WallDurationENS_14WallTimerEventEE18TimerQ" \
  "ueueCallback4callEv"
#define WIRECOST_ROS_CALL_STEADY_TIMER                                                     \
  "_ZN3ros12TimerManagerINS_10SteadyTimeENS_12WallDurationENS_16SteadyTimerEventEE18Timer" \
  "QueueCallback4callEv"
#define WIRECOST_ROS_PUBLISH                                                                       \
  "_ZN3ros12TopicManager7publishERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKN5boost8" \
  "functionIFNS_17SerializedMessageEvEEERSB_"
#define WIRECOST_ROS_NODE_NAME "_ZN3ros9this_node7getNameB5cxx11Ev"

namespace wirecost::ros1 {

/// The file that libroscpp.so.4d is a link to.
inline constexpr const char* known_library = "libroscpp.so.1.15.15";

/// ros::Time and ros::WallDuration by value: two 32-bit numbers.
using TwoNumbers = std::uint64_t;

/// boost::shared_ptr as a result: not trivial, so the caller gives the place for it.
struct SharedPointer {
  void* object;
  void* count;
  SharedPointer() : object(nullptr), count(nullptr) {}
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;
  ~SharedPointer() {}
};

namespace offset {

inline constexpr std::size_t subscribe_topic = 0;
inline constexpr std::size_t subscribe_type = 72;
inline constexpr std::size_t subscribe_helper = 104;
inline constexpr std::size_t service_name = 0;
inline constexpr std::size_t service_type = 64;
inline constexpr std::size_t service_helper = 160;
/// Of every helper made by the templates; before it is the pointer to the virtual table.
inline constexpr std::size_t helper_callback = 8;
inline constexpr std::size_t timer_period = 0;  ///< of all three kinds: two int32_t
inline constexpr std::size_t timer_callback = 8;
inline constexpr std::size_t deserializer_helper = 0;
inline constexpr std::size_t deserializer_message = 16;
inline constexpr std::size_t message_buffer = 0;  ///< of a SerializedMessage
inline constexpr std::size_t message_bytes = 16;
inline constexpr std::size_t message_start = 24;

}  // namespace offset

template <class Type>
Type& member(const void* object, std::size_t offset) {
  return *reinterpret_cast<Type*>(
      const_cast<std::byte*>(static_cast<const std::byte*>(object) + offset));
}

/// The object that a boost::shared_ptr at `offset` holds.
inline void* held(const void* object, std::size_t offset) { return member<void*>(object, offset); }

/// Of a polymorphic object. The name of one without a vtable of GCC's layout cannot be asked for.
inline const std::type_info& type_of(const void* object) {
  void** const table = member<void**>(object, 0);
  return *static_cast<const std::type_info*>(table[-1]);
}

/// Whether a helper was made by roscpp's own templates, so that its callback lies where they put
/// it.
inline bool is_subscription_helper(const void* helper) {
  constexpr const char* prefix = "N3ros27SubscriptionCallbackHelperTI";
  return std::strncmp(type_of(helper).name(), prefix, std::strlen(prefix)) == 0;
}
inline bool is_service_helper(const void* helper) {
  constexpr const char* prefix = "N3ros22ServiceCallbackHelperTI";
  return std::strncmp(type_of(helper).name(), prefix, std::strlen(prefix)) == 0;
}

}  // namespace wirecost::ros1
