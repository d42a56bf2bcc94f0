// SPDX-License-Identifier: Apache-2.0
// roscpp's serialization over classes that gencpp generates.
#include <ros/serialization.h>
#include <rsb_msgs/Notification.h>

#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/struct_interface.hpp"

namespace wirecost::bench {
namespace {

/// std::allocator with the `rebind` that C++20 took from it and roscpp still asks for.
template <class T>
struct Allocator : std::allocator<T> {
  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U>&) {}
  template <class U>
  struct rebind {
    using other = Allocator<U>;
  };
};

struct Gencpp {
  using Sent = rsb_msgs::Notification_<Allocator<void>>;
  using Received = Sent;

  static void fill(const NotificationValue& v, Sent& m) { fill_struct(v, m); }
  static std::size_t size(const Sent& m) { return ros::serialization::serializationLength(m); }
  static void encode(const Sent& m, std::span<std::byte> out) {
    ros::serialization::OStream stream(reinterpret_cast<std::uint8_t*>(out.data()),
                                       static_cast<std::uint32_t>(out.size()));
    ros::serialization::serialize(stream, m);
  }
  static bool decode(std::span<const std::byte> in, Received& m) {
    // The stream does not write, but its type has no constant form.
    auto* const data = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
    ros::serialization::IStream stream(data, static_cast<std::uint32_t>(in.size()));
    try {
      ros::serialization::deserialize(stream, m);
    } catch (const ros::serialization::StreamOverrunException&) {
      return false;
    }
    return true;
  }
  static void visit(const Received& m, Sink& sink) { visit_struct(m, sink); }
  static NotificationValue value(const Received& m) { return value_of_struct(m); }
};

About about(const char* mode) {
  return {"gencpp", mode, "ros1", "roscpp_serialization " ROSCPP_VERSION, "owning, validating"};
}

}  // namespace

void add_gencpp(Contenders& all) {
  all.push_back(std::make_unique<Batch<Gencpp, NewObjects>>(about("new")));
  all.push_back(std::make_unique<Batch<Gencpp, ReusedObjects>>(about("reused")));
}

}  // namespace wirecost::bench
