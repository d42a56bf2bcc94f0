// SPDX-License-Identifier: Apache-2.0
// What the program with the cheats has beside the contenders.
#include "honest.hpp"

#include "bench/notification/altered.hpp"

namespace wirecost::bench {

void Honest::visit(const Received& m, Sink& sink) { visit_value(m, sink); }

void add_others(Contenders& all) {
  add<Honest>(all, "honest");
  add_hands_over(all);
  add_keeps_bytes(all);
  add_leaves_bytes(all);
  add_never_looks(all);
  add_shorter_message(all);
  add_swaps_fields(all);
}

}  // namespace wirecost::bench
