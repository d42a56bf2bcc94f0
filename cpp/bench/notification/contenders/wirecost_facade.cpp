// SPDX-License-Identifier: Apache-2.0
// Our generated codec of Protobuf's wire through classes with Protobuf's interface, the façade.
#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/protobuf_interface.hpp"
#include "bench/notification/contenders/wirecost.hpp"
#include "rsb/protocol/notification.pb.h"

namespace wirecost::bench {
namespace {

struct Facade : ProtobufInterface<facade::rsb::protocol::Notification> {
  static void encode(const Sent& m, std::span<std::byte> out) {
    m.SerializeToArray(out.data(), static_cast<int>(out.size()));
  }
};

}  // namespace

void add_wirecost_facade(Contenders& all) {
  const About about{"wirecost", "facade", "protobuf", generated_by, "owning, validating"};
  all.push_back(std::make_unique<Batch<Facade, NewObjects>>(about));
}

}  // namespace wirecost::bench
