// SPDX-License-Identifier: Apache-2.0
// In the place of the program's own list: one honest version, and the cheats.
#include "cloud/cpp/versions.hpp"
#include "cheats.hpp"

namespace wirecost::bench::cloud {

std::vector<Listed> versions() {
  return {{"ring", {"honest", "wirecost", "", make_ring_filter}},
          {"ring", {"answers-ahead", "cheat", "", make_answers_ahead}},
          {"ring", {"answers-late", "cheat", "", make_answers_late}},
          {"ring", {"drops-point", "cheat", "", make_drops_point}},
          {"ring", {"keeps-answers", "cheat", "", make_keeps_answers}},
          {"ring", {"keeps-digest", "cheat", "", make_keeps_digest}}};
}

}  // namespace wirecost::bench::cloud
