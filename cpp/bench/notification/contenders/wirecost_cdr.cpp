// SPDX-License-Identifier: Apache-2.0
// Our generated codec of the cdr wire, through plain structs and a view.
#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/wirecost.hpp"
#include "rsb_msgs/notification.cdr.hpp"

namespace wirecost::bench::WIRECOST_MEMORY {
namespace {

namespace rsb = ::WIRECOST_MEMORY::rsb_msgs;

struct Functions {
  static std::size_t size(const rsb::Notification& m) { return rsb::cdr::encoded_size(m); }
  static auto encode(const rsb::Notification& m, std::span<std::byte> out) {
    return rsb::cdr::encode(m, out);
  }
  static auto decode(std::span<const std::byte> in, rsb::Notification& m) {
    return rsb::cdr::decode(in, m);
  }
  static auto view(std::span<const std::byte> in, rsb::cdr::NotificationView& m) {
    return rsb::cdr::view(in, m);
  }
};

}  // namespace

void add_wirecost_cdr(Contenders& all) {
  add_wirecost<Functions, rsb::Notification, rsb::cdr::NotificationView>(all, "cdr",
                                                                         Memory::WIRECOST_MEMORY);
}

}  // namespace wirecost::bench::WIRECOST_MEMORY
