// SPDX-License-Identifier: Apache-2.0
// Our generated codec of Protobuf's wire, through plain structs and a view.
#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/wirecost.hpp"
#include "rsb/protocol/notification.protobuf.hpp"

namespace wirecost::bench::WIRECOST_MEMORY {
namespace {

namespace rsb = ::WIRECOST_MEMORY::rsb::protocol;

struct Functions {
  static std::size_t size(const rsb::Notification& m) { return rsb::protobuf::encoded_size(m); }
  static auto encode(const rsb::Notification& m, std::span<std::byte> out) {
    return rsb::protobuf::encode(m, out);
  }
  static auto decode(std::span<const std::byte> in, rsb::Notification& m) {
    return rsb::protobuf::decode(in, m);
  }
  static auto view(std::span<const std::byte> in, rsb::protobuf::NotificationView& m) {
    return rsb::protobuf::view(in, m);
  }
};

}  // namespace

void add_wirecost_protobuf(Contenders& all) {
  add_wirecost<Functions, rsb::Notification, rsb::protobuf::NotificationView>(
      all, "protobuf", Memory::WIRECOST_MEMORY);
}

}  // namespace wirecost::bench::WIRECOST_MEMORY
