// SPDX-License-Identifier: Apache-2.0
// Our generated codec of Protobuf's wire, through plain structs, a view, and the façade.
#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/protobuf_interface.hpp"
#include "bench/notification/contenders/wirecost.hpp"
#include "rsb/protocol/notification.api.hpp"
#include "rsb/protocol/notification.protobuf.hpp"

namespace wirecost::bench {
namespace {

namespace rsb = wire::rsb::protocol;

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

struct Facade : ProtobufInterface<facade::rsb::protocol::Notification> {
  static void encode(const Sent& m, std::span<std::byte> out) {
    m.SerializeToArray(out.data(), static_cast<int>(out.size()));
  }
};

}  // namespace

void add_wirecost_protobuf(Contenders& all) {
  add_wirecost<Functions, rsb::Notification, rsb::protobuf::NotificationView>(all, "protobuf");
  const About about{"wirecost", "facade", "protobuf", generated_by, "owning, validating"};
  all.push_back(std::make_unique<Batch<Facade, NewObjects>>(about));
}

}  // namespace wirecost::bench
