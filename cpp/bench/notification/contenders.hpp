// SPDX-License-Identifier: Apache-2.0
// Every contender is a file in contenders/ that defines one of these functions; those of generated
// code are compiled twice, as the code was generated.
#pragma once

#include <memory>
#include <vector>

#include "bench/notification/contender.hpp"

namespace wirecost::bench {

using Contenders = std::vector<std::unique_ptr<Contender>>;

void add_google_protobuf(Contenders& all);
/// Without our free list: new objects, used again, views.
namespace plain {
void add_wirecost_protobuf(Contenders& all);
void add_wirecost_ros1(Contenders& all);
void add_wirecost_cdr(Contenders& all);
}  // namespace plain
/// New objects with it.
namespace recycled {
void add_wirecost_protobuf(Contenders& all);
void add_wirecost_ros1(Contenders& all);
void add_wirecost_cdr(Contenders& all);
}  // namespace recycled
void add_wirecost_facade(Contenders& all);
void add_hand_written(Contenders& all);
void add_memcpy(Contenders& all);
void add_gencpp(Contenders& all);
void add_fast_cdr(Contenders& all);

}  // namespace wirecost::bench
