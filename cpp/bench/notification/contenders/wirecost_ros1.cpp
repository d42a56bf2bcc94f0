// SPDX-License-Identifier: Apache-2.0
// Our generated codec of the ros1 wire, through plain structs and a view. From the messages that
// gencpp gets as well: without presence.
#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/wirecost.hpp"
#include "rsb_msgs/notification.ros1.hpp"

namespace wirecost::bench::WIRECOST_MEMORY {
namespace {

namespace rsb = ::WIRECOST_MEMORY::rsb_msgs;

struct Functions {
  static std::size_t size(const rsb::Notification& m) { return rsb::ros1::encoded_size(m); }
  static auto encode(const rsb::Notification& m, std::span<std::byte> out) {
    return rsb::ros1::encode(m, out);
  }
  static auto decode(std::span<const std::byte> in, rsb::Notification& m) {
    return rsb::ros1::decode(in, m);
  }
  static auto view(std::span<const std::byte> in, rsb::ros1::NotificationView& m) {
    return rsb::ros1::view(in, m);
  }
};

}  // namespace

void add_wirecost_ros1(Contenders& all) {
  add_wirecost<Functions, rsb::Notification, rsb::ros1::NotificationView>(all, "ros1",
                                                                          Memory::WIRECOST_MEMORY);
}

}  // namespace wirecost::bench::WIRECOST_MEMORY
