// SPDX-License-Identifier: Apache-2.0
// protoc's classes, of whichever version of Protobuf this is compiled with.
#include "bench/classes/message_operations.hpp"
#include "wirecost/codec/protobuf_storage.hpp"

std::string wirecost::bench::classes::library() { return WIRECOST_LIBRARY; }

std::vector<wirecost::bench::classes::Mode> wirecost::bench::classes::modes() {
  return {mode<Fresh>("fresh"), mode<protobuf::OnArena<osi3::GroundTruth>>("arena")};
}
