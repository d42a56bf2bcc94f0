// SPDX-License-Identifier: Apache-2.0
// Functions of libroscpp, preloaded in front of it: each does what is recorded, and calls the one
// that the program would have called.
#include <exception>

#include "abi.hpp"
#include "arrivals.hpp"
#include "callback.hpp"
#include "library.hpp"
#include "naming.hpp"
#include "wirecost/hooks/following.hpp"
#include "wirecost/probe.hpp"
#include "wirecost/probe/clock.hpp"

#define WIRECOST_EXPORT __attribute__((visibility("default")))

namespace wirecost::ros1 {
namespace {

Arrivals& arrivals() {
  static Arrivals& all = *new Arrivals;
  return all;
}

/// What is not recorded for want of memory must not end the program.
template <class Action>
void if_recording(Action action) {
  if (recording()) try {
      action();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): as said above
    }
}

/// Where there is nothing to call, the result is empty: roscpp is not there for certain.
template <class Result, class... Arguments>
Result call_following(hooks::Following& following, Arguments... arguments) {
  void* const function = following.get();
  if (function == nullptr) return Result();
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

std::int64_t period_ns(const void* options) {
  const auto* const numbers = &member<std::int32_t>(options, offset::timer_period);
  return std::int64_t{numbers[0]} * 1'000'000'000 + numbers[1];
}

void record_timer(const void* options) {
  if_recording([&] {
    auto& callback = member<Function>(options, offset::timer_callback);
    if (!callback.empty()) record_calls(callback, of_timer(period_ns(options), callback));
  });
}

/// The body of a SerializedMessage, null where there is none.
struct Body {
  const std::byte* begin;
  std::size_t bytes;
};
Body body_of(const void* message) {
  const auto* const buffer = static_cast<const std::byte*>(held(message, offset::message_buffer));
  const auto* const start = static_cast<const std::byte*>(held(message, offset::message_start));
  const auto whole = member<std::size_t>(message, offset::message_bytes);
  const auto before = static_cast<std::size_t>(start - buffer);
  if (buffer == nullptr || start < buffer || before > whole) return {nullptr, 0};
  return {start, whole - before};
}

const CallbackSections* sections_of_deserializer(const void* deserializer) {
  const void* helper = held(deserializer, offset::deserializer_helper);
  if (helper == nullptr || !is_subscription_helper(helper)) return nullptr;
  return sections_of(member<Function>(helper, offset::helper_callback));
}

void prepare_thread() {
  thread_local constinit bool prepared = false;
  if (prepared || !recording()) return;
  prepared = true;
  wirecost_probe_prepare_thread();
}

/// A callback that was put into a queue is about to be called.
void arrived(const void* callback) {
  if (recording()) arrival = arrivals().take(callback);
}

/// The queue of the subscription that the thread is taking a message from.
thread_local constinit const void* queue_in_use = nullptr;

/// Subscriptions to one topic may share a deserializer.
const void* waiting_in(const void* queue, const void* deserializer) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(queue) * 31 ^
                                       reinterpret_cast<std::uintptr_t>(deserializer));
}

void record_push(const void* queue, const void* deserializer) {
  const Body body =
      body_of(static_cast<const std::byte*>(deserializer) + offset::deserializer_message);
  const CallbackSections* sections = sections_of_deserializer(deserializer);
  Arrival came{.received_ns = wirecost::monotonic_ns(),
               .bytes = static_cast<std::int64_t>(body.bytes)};
  if (sections != nullptr && body.begin != nullptr)
    came.message = identity(sections->topic_hash, body.begin, body.bytes);
  arrivals().put(waiting_in(queue, deserializer), came);
}

}  // namespace
}  // namespace wirecost::ros1

using namespace wirecost;
using namespace wirecost::ros1;

extern "C" {

/// bool TopicManager::subscribe(const SubscribeOptions&)
WIRECOST_EXPORT bool wirecost_ros_subscribe(void* self,
                                            const void* options) asm(WIRECOST_ROS_SUBSCRIBE);
bool wirecost_ros_subscribe(void* self, const void* options) {
  if_recording([&] {
    const void* helper = held(options, offset::subscribe_helper);
    if (helper == nullptr || !is_subscription_helper(helper)) return;
    auto& callback = member<Function>(helper, offset::helper_callback);
    if (callback.empty() || sections_of(callback) != nullptr) return;
    record_calls(
        callback,
        of_subscription(member<const std::string>(options, offset::subscribe_topic),
                        member<const std::string>(options, offset::subscribe_type), callback));
  });
  static constinit hooks::Following next(WIRECOST_ROS_SUBSCRIBE);
  return call_following<bool>(next, self, options);
}

/// bool ServiceManager::advertiseService(const AdvertiseServiceOptions&)
WIRECOST_EXPORT bool wirecost_ros_advertise(void* self, const void* options) asm(
    WIRECOST_ROS_ADVERTISE_SERVICE);
bool wirecost_ros_advertise(void* self, const void* options) {
  if_recording([&] {
    const void* helper = held(options, offset::service_helper);
    if (helper == nullptr || !is_service_helper(helper)) return;
    auto& callback = member<Function>(helper, offset::helper_callback);
    if (callback.empty() || sections_of(callback) != nullptr) return;
    record_calls(callback,
                 of_service(member<const std::string>(options, offset::service_name),
                            member<const std::string>(options, offset::service_type), callback));
  });
  static constinit hooks::Following next(WIRECOST_ROS_ADVERTISE_SERVICE);
  return call_following<bool>(next, self, options);
}

/// Timer::Timer(const TimerOptions&), and of the two other kinds; a constructor has two names.
#define WIRECOST_TIMER(name, symbol)                                      \
  WIRECOST_EXPORT void name(void* self, const void* options) asm(symbol); \
  void name(void* self, const void* options) {                            \
    record_timer(options);                                                \
    static constinit hooks::Following next(symbol);                       \
    call_following<void>(next, self, options);                            \
  }
WIRECOST_TIMER(wirecost_ros_timer_1, WIRECOST_ROS_TIMER_1)
WIRECOST_TIMER(wirecost_ros_timer_2, WIRECOST_ROS_TIMER_2)
WIRECOST_TIMER(wirecost_ros_wall_timer_1, WIRECOST_ROS_WALL_TIMER_1)
WIRECOST_TIMER(wirecost_ros_wall_timer_2, WIRECOST_ROS_WALL_TIMER_2)
WIRECOST_TIMER(wirecost_ros_steady_timer_1, WIRECOST_ROS_STEADY_TIMER_1)
WIRECOST_TIMER(wirecost_ros_steady_timer_2, WIRECOST_ROS_STEADY_TIMER_2)

/// void SubscriptionQueue::push(helper, deserializer, bool, tracked, bool, ros::Time, bool*)
WIRECOST_EXPORT void wirecost_ros_push(void* self, const void* helper, const void* deserializer,
                                       bool has_tracked, const void* tracked, bool copies,
                                       TwoNumbers receipt, bool* was_full) asm(WIRECOST_ROS_PUSH);
void wirecost_ros_push(void* self, const void* helper, const void* deserializer, bool has_tracked,
                       const void* tracked, bool copies, TwoNumbers receipt, bool* was_full) {
  if (recording()) record_push(self, held(deserializer, 0));
  static constinit hooks::Following next(WIRECOST_ROS_PUSH);
  call_following<void>(next, self, helper, deserializer, has_tracked, tracked, copies, receipt,
                       was_full);
}

/// void CallbackQueue::addCallback(const CallbackInterfacePtr&, uint64_t)
WIRECOST_EXPORT void wirecost_ros_add_callback(void* self, const void* callback,
                                               std::uint64_t owner) asm(WIRECOST_ROS_ADD_CALLBACK);
void wirecost_ros_add_callback(void* self, const void* callback, std::uint64_t owner) {
  if (recording()) arrivals().put(held(callback, 0), {.received_ns = wirecost::monotonic_ns()});
  static constinit hooks::Following next(WIRECOST_ROS_ADD_CALLBACK);
  call_following<void>(next, self, callback, owner);
}

/// CallResult ServiceCallback::call(), and of the three kinds of timers
#define WIRECOST_CALL(name, symbol)                 \
  WIRECOST_EXPORT int name(void* self) asm(symbol); \
  int name(void* self) {                            \
    arrived(self);                                  \
    static constinit hooks::Following next(symbol); \
    return call_following<int>(next, self);         \
  }
WIRECOST_CALL(wirecost_ros_call_service, WIRECOST_ROS_CALL_SERVICE)
WIRECOST_CALL(wirecost_ros_call_timer, WIRECOST_ROS_CALL_TIMER)
WIRECOST_CALL(wirecost_ros_call_wall_timer, WIRECOST_ROS_CALL_WALL_TIMER)
WIRECOST_CALL(wirecost_ros_call_steady_timer, WIRECOST_ROS_CALL_STEADY_TIMER)

/// CallResult SubscriptionQueue::call()
WIRECOST_EXPORT int wirecost_ros_call_subscription(void* self) asm(WIRECOST_ROS_CALL_SUBSCRIPTION);
int wirecost_ros_call_subscription(void* self) {
  // A callback may spin, which takes from other queues.
  struct InUse {
    explicit InUse(const void* queue) : before(queue_in_use) { queue_in_use = queue; }
    ~InUse() { queue_in_use = before; }
    const void* before;
  } const in_use(self);
  static constinit hooks::Following next(WIRECOST_ROS_CALL_SUBSCRIPTION);
  return call_following<int>(next, self);
}

/// void CallbackQueue::callAvailable(WallDuration), CallOneResult
/// CallbackQueue::callOne(WallDuration)
WIRECOST_EXPORT void wirecost_ros_call_available(void* self, TwoNumbers timeout) asm(
    WIRECOST_ROS_CALL_AVAILABLE);
void wirecost_ros_call_available(void* self, TwoNumbers timeout) {
  prepare_thread();
  static constinit hooks::Following next(WIRECOST_ROS_CALL_AVAILABLE);
  call_following<void>(next, self, timeout);
}
WIRECOST_EXPORT int wirecost_ros_call_one(void* self,
                                          TwoNumbers timeout) asm(WIRECOST_ROS_CALL_ONE);
int wirecost_ros_call_one(void* self, TwoNumbers timeout) {
  prepare_thread();
  static constinit hooks::Following next(WIRECOST_ROS_CALL_ONE);
  return call_following<int>(next, self, timeout);
}

/// void TopicManager::publish(const std::string&, const function<SerializedMessage()>&,
/// SerializedMessage&)
WIRECOST_EXPORT void wirecost_ros_publish(void* self, const std::string* topic,
                                          const void* serialize,
                                          void* message) asm(WIRECOST_ROS_PUBLISH);
void wirecost_ros_publish(void* self, const std::string* topic, const void* serialize,
                          void* message) {
  const std::int64_t begin_ns = wirecost::monotonic_ns();
  static constinit hooks::Following next(WIRECOST_ROS_PUBLISH);
  call_following<void>(next, self, topic, serialize, message);
  if_recording([&] {
    const std::int64_t end_ns = wirecost::monotonic_ns();
    const Publication known = publication(*topic);
    const Body body = body_of(message);
    wirecost_probe_span(
        known.section, begin_ns, end_ns, WIRECOST_PROBE_COUNT_LOOPS,
        static_cast<std::int64_t>(body.bytes),
        body.begin == nullptr ? 0 : identity(known.topic_hash, body.begin, body.bytes));
  });
}
}

/// VoidConstPtr MessageDeserializer::deserialize()
WIRECOST_EXPORT SharedPointer wirecost_ros_deserialize(void* self) asm(WIRECOST_ROS_DESERIALIZE);
SharedPointer wirecost_ros_deserialize(void* self) {
  static constinit hooks::Following next(WIRECOST_ROS_DESERIALIZE);
  if (!recording()) return call_following<SharedPointer>(next, self);
  const Body body = body_of(static_cast<const std::byte*>(self) + offset::deserializer_message);
  const CallbackSections* sections = sections_of_deserializer(self);
  arrival = arrivals().take(waiting_in(queue_in_use, self));
  // Without bytes it was done for another subscription, or within the process.
  if (sections == nullptr || body.begin == nullptr)
    return call_following<SharedPointer>(next, self);
  wirecost::probe::Section section(sections->deserialize);
  section.value(static_cast<std::int64_t>(body.bytes));
  return call_following<SharedPointer>(next, self);
}
