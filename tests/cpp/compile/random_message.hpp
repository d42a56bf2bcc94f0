// SPDX-License-Identifier: Apache-2.0
// Messages of Google's classes with random content.
#pragma once

#include <google/protobuf/message.h>

#include <random>

namespace wirecost::test {

using Random = std::mt19937;

// A number below `end`.
inline unsigned below(Random& random, unsigned end) { return random() % end; }

// Sets about half of the fields and all required ones; messages to that depth.
void fill(google::protobuf::Message& message, Random& random, int depth);

// The same content as another writer may send it: fields in any order, packed fields in parts or
// unpacked and the other way round, single messages twice, unknown fields between them.
std::string scrambled(const std::string& bytes, const google::protobuf::Descriptor& type,
                      Random& random);

}  // namespace wirecost::test
