// SPDX-License-Identifier: Apache-2.0
// Decodes the messages of a file by codecs that keep unknown fields: `decoders_kept CASES FOLDER`.
#include "bounds_msgs/bounded.protobuf.hpp"
#include "conformance/chain.protobuf.hpp"
#include "conformance/hollow/hollow.protobuf.hpp"
#include "conformance/parts/parts.protobuf.hpp"
#include "conformance/proto2/every_type_proto2.protobuf.hpp"
#include "conformance/proto3/every_type_proto3.protobuf.hpp"
#include "decoders.hpp"

namespace {

using namespace decoders;

WIRECOST_CODEC(Proto2, ::kept::conformance::proto2, EveryType, protobuf);
WIRECOST_CODEC(Proto3, ::kept::conformance::proto3, EveryType, protobuf);
WIRECOST_CODEC(Hollow, ::kept::conformance::hollow, Hollow, protobuf);
WIRECOST_CODEC(Parts, ::kept::conformance::parts, Whole, protobuf);
WIRECOST_CODEC(Chain, ::kept::conformance, Chain, protobuf);
WIRECOST_CODEC(Bounded, ::kept::bounds_msgs, Bounded, protobuf);

// In the order of cases.py.
void decode(unsigned number, unsigned wire, const Input& in, Results& results) {
  if (wire != 0) return;
  switch (number) {
    case 0: return ours<Proto2>(in, results);
    case 1: return ours<Proto3>(in, results);
    case 2: return ours<Hollow>(in, results);
    case 3: return ours<Parts>(in, results);
    case 4: return ours<Chain>(in, results);
    default: return ours<Bounded>(in, results);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  std::vector<Output> outputs;
  outputs.push_back({"kept", &Results::holder});
  outputs.push_back({"kept-reused", &Results::reused});
  outputs.push_back({"kept-utf8", &Results::utf8});
  run(words[1], words[2], std::move(outputs), decode);
}
