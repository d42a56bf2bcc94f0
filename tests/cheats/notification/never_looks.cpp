// SPDX-License-Identifier: Apache-2.0
// Decodes when somebody asks for the values, and adds up what it found the first time.
#include "honest.hpp"

namespace wirecost::bench {
namespace {

struct NeverLooks : Honest {
  struct Received {
    std::vector<std::byte> bytes;
  };

  static bool decode(std::span<const std::byte> in, Received& received) {
    received.bytes.assign(in.begin(), in.end());
    return true;
  }
  static void visit(const Received& received, Sink& sink) {
    static const NotificationValue first = value(received);
    Honest::visit(first, sink);
  }
  static NotificationValue value(const Received& received) {
    NotificationValue found;
    Honest::decode(received.bytes, found);
    return found;
  }
};

}  // namespace

void add_never_looks(Contenders& all) { add<NeverLooks>(all, "never-looks"); }

}  // namespace wirecost::bench
