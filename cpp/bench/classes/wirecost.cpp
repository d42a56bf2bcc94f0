// SPDX-License-Identifier: Apache-2.0
// What `wirecost compile --protobuf-api` writes in the place of protoc's classes.
#include "bench/classes/message_operations.hpp"

std::string wirecost::bench::classes::library() { return WIRECOST_LIBRARY; }

std::vector<wirecost::bench::classes::Mode> wirecost::bench::classes::modes() {
  return {mode<Fresh>("fresh")};
}
