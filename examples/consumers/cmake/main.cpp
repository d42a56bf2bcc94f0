// SPDX-License-Identifier: Apache-2.0
// Encodes a message and decodes it again, and records how long that takes.
#include <cstdio>
#include <vector>
#include <wirecost/probe.hpp>

#include "consumer/state.protobuf.hpp"

using namespace wire::consumer;

int main() {
  const wirecost::probe::Section section(wirecost_probe_section("round trip"));
  State sent;
  sent.name = "joint";
  sent.positions.push_back(0.5);
  std::vector<std::byte> bytes(protobuf::encoded_size(sent));
  State received;
  if (protobuf::encode(sent, bytes).error || protobuf::decode(bytes, received)) return 1;
  std::printf("%zu bytes, position %g\n", bytes.size(), received.positions[0]);
}
